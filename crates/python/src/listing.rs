//! Lists algorithms, problems, and the capabilities of this machine.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpswarm::{algorithms as all_algorithms, problems as all_problems, system as machine};

/// Every algorithm: name, title, source, backends, presets, and parameters with meaning, range and default.
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let of = |info: &all_algorithms::AlgorithmInfo| {
        let one = PyDict::new(py);
        one.set_item("name", info.id)?;
        one.set_item("title", info.title)?;
        one.set_item("source", info.source)?;
        let backends: Vec<&str> = info.backends.iter().map(|backend| backend.name()).collect();
        one.set_item("backends", backends)?;
        let presets = PyDict::new(py);
        for preset in info.presets {
            presets.set_item(preset.name, preset.source)?;
        }
        one.set_item("presets", presets)?;
        let parameters = PyDict::new(py);
        for parameter in info.parameters() {
            let about = PyDict::new(py);
            about.set_item("meaning", parameter.meaning)?;
            about.set_item("range", parameter.range)?;
            about.set_item("default", parameter.default.to_string())?;
            parameters.set_item(parameter.name, about)?;
        }
        one.set_item("parameters", parameters)?;
        Ok(one)
    };
    all_algorithms::ALL.iter().map(of).collect()
}

/// Every built-in problem: name, formula, source, and the names of constraints.
#[pyfunction]
pub(crate) fn problems(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let of = |info: &all_problems::ProblemInfo| {
        let one = PyDict::new(py);
        one.set_item("name", info.id)?;
        one.set_item("formula", info.formula)?;
        one.set_item("source", info.source)?;
        one.set_item("dimensions", info.dimensions.to_string())?;
        let constraints: Vec<&str> = info.constraints.iter().map(|of| of.name).collect();
        one.set_item("constraints", constraints)?;
        Ok(one)
    };
    all_problems::all().iter().map(of).collect()
}

/// The capabilities of this machine and of this build.
#[pyfunction]
pub(crate) fn system(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let found = py.detach(machine::report);
    let out = PyDict::new(py);
    let devices = found.devices.iter().map(|device| {
        let one = PyDict::new(py);
        one.set_item("name", &device.name)?;
        one.set_item("memory", device.memory)?;
        one.set_item("compute_capability", device.compute_capability)?;
        one.set_item("multiprocessors", device.multiprocessors)?;
        Ok(one)
    });
    out.set_item("devices", devices.collect::<PyResult<Vec<_>>>()?)?;
    let said = |result: Result<String, warpswarm::Error>| match result {
        Ok(version) => (Some(version), None),
        Err(error) => (None, Some(error.to_string())),
    };
    out.set_item("driver", said(found.driver))?;
    out.set_item("kernels", said(found.kernels.map(|kernels| kernels.arch)))?;
    out.set_item("gpu", found.gpu.err().map(|error| error.to_string()))?;
    out.set_item("threads", found.threads)?;
    Ok(out)
}
