"""EvoX 1.4: PSO and DE.

evox_pso, evox_de: StdWorkflow and a compiled step, as in its documentation and its benchmark.
evox_vmap_pso, evox_vmap_de: the compiled vmap of the step, its method for many runs at once.
evox_graph_pso: the compiled functional step captured as a CUDA graph, which its documentation does not mention.
"""

from importlib.metadata import version

import torch

from gpu import OPTIONS, cases, measure, say

DEVICE = "cpu" if OPTIONS.cpu else "cuda"
torch.set_default_device(DEVICE)
from evox.algorithms import DE, PSO
from evox.core import compile, use_state, vmap
from evox.problems.numerical import Rastrigin, Sphere
from evox.workflows import StdWorkflow

wait = torch.cuda.synchronize if DEVICE == "cuda" else (lambda: None)
POPULATION = "algorithm.pop"


def workflow(algorithm, case):
    lower, upper = (torch.full((case.dimensions,), bound) for bound in case.bounds)
    torch.manual_seed(1)
    algorithm = algorithm(pop_size=case.individuals, lb=lower, ub=upper)
    flow = StdWorkflow(algorithm, Sphere() if case.objective == "sphere" else Rastrigin())
    flow.init_step()
    return flow


def best_of(state):
    for name in ("algorithm.global_best_fit", "algorithm.fit"):
        if name in state:
            return state[name].min().item()
    return float("nan")


def state_of(flow):
    return {k: v.detach().clone() for k, v in [*flow.named_parameters(), *flow.named_buffers()]}


def of_each_run(state, case):
    """The stacked state, with another population for each run."""
    lower, upper = case.bounds
    state = {k: v.unsqueeze(0).expand(case.runs, *v.shape).clone() for k, v in state.items()}
    state[POPULATION] = torch.rand(state[POPULATION].shape) * (upper - lower) + lower
    return state


def make_standard(algorithm, case):
    torch._dynamo.reset()
    flow = workflow(algorithm, case)
    first = {name: buffer.clone() for name, buffer in flow.named_buffers()}
    step = compile(flow.step)

    def reset():
        for name, buffer in first.items():
            module, _, name = name.rpartition(".")
            setattr(flow.get_submodule(module) if module else flow, name, buffer.clone())

    def run():
        for _ in range(case.block):
            step()

    return reset, run, wait, lambda: best_of(dict(flow.named_buffers()))


def make_vmap(algorithm, case):
    torch._dynamo.reset()
    flow = workflow(algorithm, case)
    first = of_each_run(state_of(flow), case)
    step = compile(vmap(use_state(flow.step), randomness="different"), fullgraph=True)
    box = {}

    def reset():
        box["state"] = {name: value.clone() for name, value in first.items()}

    def run():
        state = box["state"]
        for _ in range(case.block):
            state = step(state)
        box["state"] = state

    return reset, run, wait, lambda: best_of(box["state"])


def make_graph(case):
    torch._dynamo.reset()
    flow = workflow(PSO, case)
    state, step = state_of(flow), use_state(flow.step)
    if case.runs > 1:
        state, step = of_each_run(state, case), vmap(step, randomness="different")
    step = compile(step, fullgraph=True)
    first = {name: value.clone() for name, value in state.items()}

    def keep(new):
        for name in state:
            state[name].copy_(new[name])

    captured = min(case.block, 20)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(3):
            keep(step(state))
    torch.cuda.current_stream().wait_stream(side)
    wait()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        s = state
        for _ in range(captured):
            s = step(s)
        keep(s)

    def run():
        for _ in range(max(1, case.block // captured)):
            graph.replay()

    return (lambda: keep(first)), run, wait, lambda: best_of(state)


name = "cpu" if OPTIONS.cpu else torch.cuda.get_device_name()
say(f"# evox {version('evox')} torch {torch.__version__} {name}")
with torch.no_grad():
    if DEVICE == "cuda":
        for case in cases():
            if case.name in ("n1k_d2", "n768_d30", "n64k_d30", "batch1000"):
                measure("evox_graph_pso", case, lambda: make_graph(case))
                torch.cuda.empty_cache()
    for case in cases():
        if case.runs > 1:
            measure("evox_vmap_de", case, lambda: make_vmap(DE, case))
        elif case.name in ("n768_d30", "n64k_d30"):
            measure("evox_de", case, lambda: make_standard(DE, case))
    for case in cases():
        if case.runs > 1:
            measure("evox_vmap_pso", case, lambda: make_vmap(PSO, case))
        else:
            measure("evox_pso", case, lambda: make_standard(PSO, case))
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
