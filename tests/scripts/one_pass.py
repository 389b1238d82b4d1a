import bare_tvm  # noqa: F401
import tvm
from tvm import tirx

module = tvm.IRModule({"main": tirx.PrimFunc([], tirx.Evaluate(0))})
tirx.transform.Simplify()(module)
