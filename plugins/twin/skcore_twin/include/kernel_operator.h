// Licensed under the Apache License, Version 2.0.
//
// The Ascend C interface on the twin: what kernels include.
#pragma once

#include "ascendc/qualifiers.h"
#include "ascendc/intrinsics.h"
#include "ascendc/kernel_meta.h"
#include "ascendc/system.h"
#include "ascendc/events.h"
#include "ascendc/cross_core.h"

#include "ascendc/half.h"
#include "ascendc/types.h"
#include "ascendc/tensor.h"
#include "ascendc/queue.h"
#include "ascendc/data_copy.h"
#include "ascendc/layout.h"
#include "ascendc/list_tensor.h"
#include "ascendc/mutex.h"
#include "ascendc/nd_dma.h"

#include "ascendc/vector_mask.h"
#include "ascendc/vector_unary.h"
#include "ascendc/vector_binary.h"
#include "ascendc/vector_scalar.h"
#include "ascendc/vector_flexible.h"
#include "ascendc/vector_cast.h"
#include "ascendc/vector_compound.h"
#include "ascendc/vector_compare.h"
#include "ascendc/vector_reduce_api.h"
#include "ascendc/vector_fill.h"
#include "ascendc/vector_gather.h"
#include "ascendc/vector_transpose.h"
#include "ascendc/vector_sort.h"

#include "ascendc/reg.h"

#include "ascendc/adv_activation.h"
#include "ascendc/adv_softmax.h"
#include "ascendc/adv_norm.h"
#include "ascendc/adv_reduce.h"

#include "ascendc/std_names.h"
#include "ascendc/printf.h"
#include "ascendc/tiling_data.h"
#include "ascendc/tiling_cube.h"
#include "ascendc/tiling_vector.h"

#include "ascendc/cross_core_soft.h"
#include "ascendc/super_kernel.h"
#include "ascendc/cube.h"
