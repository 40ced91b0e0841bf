// Licensed under the Apache License, Version 2.0.
//
// Kernels that treat each row alone: a row is loaded, worked on in float, and stored.
#pragma once

#include "common.h"

namespace skcore_kernels {

// Rows are split over blocks, so the result does not depend on their number. Operation gives kInputs, the number of
// parts of `columns` elements that an input row has; Init(pipe, columns); and Apply(output, input, pitch, row), where
// part i of the input starts at i * pitch.
template <typename In, typename Out, typename Operation>
class RowKernel {
public:
    __aicore__ explicit RowKernel(Operation& operation) : operation_(operation) {}

    __aicore__ void Init(AscendC::TPipe& pipe, GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
        rows_ = Share(rows, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        columns_ = columns;
        pitch_ = PaddedRow<In>(columns);
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(x), uint64_t(rows) * columns * Operation::kInputs);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(y), uint64_t(rows) * columns);
        pipe.InitBuffer(inputs_, kBuffers, Operation::kInputs * pitch_ * sizeof(In));
        pipe.InitBuffer(outputs_, kBuffers, PaddedRow<Out>(columns) * sizeof(Out));
        operation_.Init(pipe, columns);
    }

    __aicore__ void Process() {
        for (uint32_t row = rows_.begin; row < rows_.end; ++row) {
            Load(row);
            Compute(row);
            Store(row);
        }
    }

private:
    __aicore__ void Load(uint32_t row) {
        LocalTensor<In> input = inputs_.template AllocTensor<In>();
        for (uint32_t part = 0; part < Operation::kInputs; ++part) {
            CopyIn(input[part * pitch_], x_[(uint64_t(row) * Operation::kInputs + part) * columns_], columns_);
        }
        inputs_.EnQue(input);
    }

    __aicore__ void Compute(uint32_t row) {
        LocalTensor<In> input = inputs_.template DeQue<In>();
        LocalTensor<Out> output = outputs_.template AllocTensor<Out>();
        operation_.Apply(output, input, pitch_, row);
        outputs_.EnQue(output);
        inputs_.FreeTensor(input);
    }

    __aicore__ void Store(uint32_t row) {
        LocalTensor<Out> output = outputs_.template DeQue<Out>();
        CopyOut(y_[uint64_t(row) * columns_], output, columns_);
        outputs_.FreeTensor(output);
    }

    Operation& operation_;
    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> inputs_;
    AscendC::TQue<AscendC::TPosition::VECOUT, kBuffers> outputs_;
    GlobalTensor<In> x_;
    GlobalTensor<Out> y_;
    Range rows_{};
    uint32_t columns_ = 0;
    uint32_t pitch_ = 0;
};

}  // namespace skcore_kernels
