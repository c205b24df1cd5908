"""Names of the array types: each alias is a numpy array of that dtype."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Int8 = NDArray[np.int8]
UInt8 = NDArray[np.uint8]
UInt32 = NDArray[np.uint32]
UInt64 = NDArray[np.uint64]
Bool = NDArray[np.bool_]
Int16 = NDArray[np.int16]
UInt16 = NDArray[np.uint16]
