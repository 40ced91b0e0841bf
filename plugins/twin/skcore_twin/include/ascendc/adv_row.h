// Licensed under the Apache License, Version 2.0.
//
// Rows of a matrix in UB as doubles: what the advanced APIs that reduce along the last axis share.
#pragma once

#include "ascendc/vector_convert.h"

namespace sktwin {

// A matrix in UB; row r starts at element r * pitch.
template <typename T>
struct RowMatrix {
    Operand<T> operand;
    uint64_t pitch;

    explicit operator bool() const { return static_cast<bool>(operand); }
    T Get(uint64_t row, uint64_t column) const {
        T value;
        memcpy(&value, operand.Element(row * pitch + column), sizeof(T));
        return value;
    }
    void Set(uint64_t row, uint64_t column, double value) const { SetRaw(row, column, FromDouble<T>(value)); }
    void SetRaw(uint64_t row, uint64_t column, T value) const {
        memcpy(operand.Element(row * pitch + column), &value, sizeof(T));
    }
    // One value in every lane of the row's 32-byte block.
    void SetBlock(uint64_t row, double value) const {
        for (uint64_t i = 0; i < 32 / sizeof(T); ++i) {
            Set(row, i, value);
        }
    }
};

template <typename T>
RowMatrix<T> RowsOf(const AscendC::LocalTensor<T>& tensor, uint64_t pitch, Site site) {
    return {OperandOf(tensor, 1, 8, site), pitch};
}

// Statistics of rows: one block a row.
template <typename T>
RowMatrix<T> BlocksOf(const AscendC::LocalTensor<T>& tensor, Site site) {
    return RowsOf(tensor, 32 / sizeof(T), site);
}

}  // namespace sktwin
