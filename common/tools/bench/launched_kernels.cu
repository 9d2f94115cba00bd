#include "launched_kernels.h"

#include <cuda.h>
#include <cxxabi.h>

#include <cstdlib>
#include <vector>

#include "../../host/device/cuda_check.h"

namespace {

using GetKernelParams = CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2*);
using GetFunctionName = CUresult(const char**, CUfunction);
using GetKernelName = CUresult(const char**, CUkernel);

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (text == nullptr) return name;
  const std::string result = text;
  std::free(text);
  return result;
}

// "" where the driver does not know.
std::string name_of_node(cudaGraphNode_t node) {
  static GetKernelParams* const get_params =
      find_driver_function<GetKernelParams>("cuGraphKernelNodeGetParams", 12000);
  static GetFunctionName* const get_function_name =
      find_driver_function<GetFunctionName>("cuFuncGetName", 12030);
  static GetKernelName* const get_kernel_name =
      find_driver_function<GetKernelName>("cuKernelGetName", 12030);
  if (get_params == nullptr || get_function_name == nullptr || get_kernel_name == nullptr)
    return "";

  CUDA_KERNEL_NODE_PARAMS_v2 params = {};
  if (get_params(node, &params) != CUDA_SUCCESS) return "";
  const char* name = nullptr;
  const CUresult status = params.func != nullptr ? get_function_name(&name, params.func)
                                                 : get_kernel_name(&name, params.kern);
  return status == CUDA_SUCCESS && name != nullptr ? demangled(name) : "";
}

std::string names_in_graph(cudaGraph_t graph) {
  size_t count = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::string names;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    CUDA_CHECK(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeKernel) continue;
    const std::string name = name_of_node(node);
    if (name.empty()) return "";  // half a name proves nothing
    names += (names.empty() ? "" : " + ") + name;
  }
  return names;
}

}  // namespace

std::string launched_kernels(const std::function<void(cudaStream_t)>& call) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  bool captured = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess;
  if (captured) {
    try {
      call(stream);
    } catch (const Refusal&) {
      captured = false;
    }
    captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess && captured;
  }
  std::string names;
  if (captured && graph != nullptr) names = names_in_graph(graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaGetLastError();  // a failed capture is no error of the run
  return names;
}
