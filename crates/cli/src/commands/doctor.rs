//! `warpswarm doctor`: shows what this machine and this build support, and how to install what is missing.

use std::fs;
use std::io::{self, Write};

use serde::Serialize;
use warpswarm::system::{self, System};
use warpswarm_ptx_builder::DeviceToolchain;
use warpswarm_ptx_builder::toolchain::SETUP_COMMAND;

use crate::args::DoctorArgs;
use crate::failure::{Code, Failure, SUCCESS};

/// Rebuilds the program, with GPU kernels if possible.
const REBUILD: &str = "cargo xtask run -- doctor";

/// The emulator is meant for developers of kernels.
const NO_EMULATOR: &str =
    "not built in; cargo install --path crates/cli --features emulator adds it";

/// Examines the machine and prints the findings.
pub(crate) fn run(args: &DoctorArgs) -> Result<Code, Failure> {
    let findings = Findings::of(system::report(), toolchain(), has_nvidia_gpu());
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &findings).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        findings.print(&mut out)?;
    }
    out.flush()?;
    Ok(SUCCESS)
}

/// Everything that was examined.
#[derive(Debug, Serialize)]
struct Findings {
    driver: Finding<Driver>,
    devices: Vec<Device>,
    kernels: Finding<Kernels>,
    device_toolchain: Finding<Toolchain>,
    backends: Backends,
}

/// A part that was found, or the reason why it is missing and the command that installs it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Finding<T> {
    Found(T),
    Missing { missing: String, fix: Option<String> },
}

#[derive(Debug, Serialize)]
struct Driver {
    cuda: String,
}

#[derive(Debug, Serialize)]
struct Device {
    name: String,
    memory_bytes: u64,
    compute_capability: String,
    multiprocessors: u32,
    /// Whether the device can run the built-in kernels; `None` if none are built in.
    runs_kernels: Option<bool>,
    has_clusters: bool,
}

#[derive(Debug, Serialize)]
struct Kernels {
    count: usize,
    arch: String,
    toolchain: String,
}

#[derive(Debug, Serialize)]
struct Toolchain {
    version: String,
    origin: String,
    rustc: String,
}

#[derive(Debug, Serialize)]
struct Backends {
    cpu_threads: usize,
    gpu: Finding<bool>,
    emulator: bool,
}

impl Findings {
    fn of(system: System, toolchain: Result<Toolchain, String>, has_gpu: bool) -> Findings {
        let driver_fix = has_gpu.then(driver_command);
        let has_toolchain = toolchain.is_ok();
        let device_toolchain = match toolchain {
            Ok(toolchain) => Finding::Found(toolchain),
            Err(missing) => Finding::Missing { missing, fix: Some(SETUP_COMMAND.into()) },
        };
        let driver = match system.driver {
            Ok(cuda) => Finding::Found(Driver { cuda }),
            Err(error) => missing(&error, driver_fix.clone()),
        };
        let kernels_fix = if has_toolchain { REBUILD } else { SETUP_COMMAND };
        let built_in = system.kernels.as_ref().ok();
        let devices =
            system.devices.into_iter().map(|device| Device::of(device, built_in)).collect();
        let kernels = match system.kernels {
            Ok(system::Kernels { count, arch, toolchain, .. }) => {
                Finding::Found(Kernels { count, arch, toolchain })
            }
            Err(error) => missing(&error, Some(kernels_fix.into())),
        };
        let gpu = match system.gpu {
            Ok(()) => Finding::Found(true),
            Err(error @ warpswarm::Error::NoKernels) => missing(&error, Some(kernels_fix.into())),
            Err(error) => missing(&error, driver_fix),
        };
        Findings {
            driver,
            devices,
            kernels,
            device_toolchain,
            backends: Backends { cpu_threads: system.threads, gpu, emulator: system.emulator },
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut line = |name: &str, text: &str| writeln!(out, "{name:<18}{text}");
        line("driver", &self.driver.in_words(|driver| format!("CUDA {}", driver.cuda)))?;
        if self.devices.is_empty() {
            line("devices", "none")?;
        }
        for (i, device) in self.devices.iter().enumerate() {
            let Device { name, memory_bytes, compute_capability, multiprocessors, .. } = device;
            let memory = *memory_bytes as f64 / f64::from(1 << 30);
            let text = format!(
                "{name}, {memory:.1} GiB, compute capability {compute_capability}, \
                 {multiprocessors} multiprocessors"
            );
            line(if i == 0 { "devices" } else { "" }, &text)?;
            line("", device.abilities())?;
        }
        let kernels =
            |k: &Kernels| format!("{} for {} and later, by {}", k.count, k.arch, k.toolchain);
        line("GPU kernels", &self.kernels.in_words(kernels))?;
        let toolchain = |t: &Toolchain| format!("{}, {} ({})", t.version, t.origin, t.rustc);
        line("device toolchain", &self.device_toolchain.in_words(toolchain))?;
        let Backends { cpu_threads, gpu, emulator } = &self.backends;
        let threads = if *cpu_threads == 1 { "thread" } else { "threads" };
        line("backend cpu", &format!("ready, {cpu_threads} {threads}"))?;
        line("backend gpu", &gpu.in_words(|_| "ready".into()))?;
        line("backend emulator", if *emulator { "ready" } else { NO_EMULATOR })
    }
}

impl<T> Finding<T> {
    fn in_words(&self, found: impl Fn(&T) -> String) -> String {
        match self {
            Finding::Found(thing) => found(thing),
            Finding::Missing { missing, fix: Some(fix) } => {
                format!("{missing}\n{:18}fix: {fix}", "")
            }
            Finding::Missing { missing, fix: None } => missing.clone(),
        }
    }
}

fn missing<T>(error: &warpswarm::Error, fix: Option<String>) -> Finding<T> {
    Finding::Missing { missing: error.to_string(), fix }
}

impl Device {
    fn of(device: system::Device, kernels: Option<&system::Kernels>) -> Device {
        let (major, minor) = device.compute_capability;
        Device {
            runs_kernels: kernels.map(|kernels| device.runs(kernels)),
            has_clusters: device.has_clusters(),
            name: device.name,
            memory_bytes: device.memory,
            compute_capability: format!("{major}.{minor}"),
            multiprocessors: device.multiprocessors,
        }
    }

    /// What the device can run.
    fn abilities(&self) -> &'static str {
        match (self.runs_kernels, self.has_clusters) {
            (Some(false), _) => "too old for the GPU kernels",
            (_, true) => "runs everything",
            (_, false) => {
                "runs everything; large runs take longer than from compute capability 9.0 on, which has clusters of \
                 blocks and bulk copies"
            }
        }
    }
}

fn toolchain() -> Result<Toolchain, String> {
    let found = DeviceToolchain::find().map_err(|error| error.to_string())?;
    let DeviceToolchain { rustc, version, origin, .. } = found;
    Ok(Toolchain { version, origin, rustc: rustc.display().to_string() })
}

/// Whether the PCI bus has an NVIDIA display controller. Without one, a driver would not help.
fn has_nvidia_gpu() -> bool {
    let is = |path: &std::path::Path, start: &str| {
        fs::read_to_string(path).is_ok_and(|text| text.trim().starts_with(start))
    };
    let devices = fs::read_dir("/sys/bus/pci/devices").into_iter().flatten().flatten();
    devices
        .map(|entry| entry.path())
        .any(|device| is(&device.join("vendor"), "0x10de") && is(&device.join("class"), "0x03"))
}

/// The command that installs NVIDIA's driver on this system.
fn driver_command() -> String {
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is = |id: &str| {
        system.lines().any(|line| line == format!("ID={id}") || line == format!("ID=\"{id}\""))
    };
    if is("ubuntu") {
        "sudo ubuntu-drivers install".into()
    } else if is("debian") {
        "sudo apt-get install nvidia-driver".into()
    } else if is("fedora") {
        "sudo dnf install akmod-nvidia".into()
    } else if is("arch") {
        "sudo pacman -S nvidia".into()
    } else {
        "xdg-open https://www.nvidia.com/drivers".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm::Error;

    fn system() -> System {
        System {
            driver: Err(Error::NoDriver),
            devices: Vec::new(),
            kernels: Err(Error::NoKernels),
            gpu: Err(Error::NoDriver),
            emulator: true,
            threads: 2,
        }
    }

    fn printed(findings: &Findings) -> String {
        let mut out = Vec::new();
        findings.print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_missing_thing_comes_with_one_command() {
        let findings = Findings::of(system(), Err("no device toolchain found".into()), true);
        let text = printed(&findings);
        assert_eq!(text.matches("fix: warpswarm setup").count(), 2, "{text}");
        assert_eq!(text.matches("fix: ").count(), 4, "{text}");
    }

    #[test]
    fn without_a_gpu_no_driver_is_asked_for() {
        let toolchain = Toolchain { version: "v".into(), origin: "o".into(), rustc: "r".into() };
        let text = printed(&Findings::of(system(), Ok(toolchain), false));
        assert_eq!(text.matches("fix: ").count(), 1, "{text}");
        assert!(text.contains("fix: cargo xtask run -- doctor"), "{text}");
    }

    #[test]
    fn what_is_there_is_shown() {
        let device = system::Device {
            name: "A GPU".into(),
            memory: 3 << 29,
            compute_capability: (9, 0),
            multiprocessors: 7,
        };
        let system =
            System { driver: Ok("13.0".into()), devices: vec![device], gpu: Ok(()), ..system() };
        let findings = Findings::of(system, Err("none".into()), true);
        let text = printed(&findings);
        for part in
            ["CUDA 13.0", "A GPU, 1.5 GiB, compute capability 9.0", "backend gpu       ready"]
        {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        assert!(text.contains("\n                  runs everything\n"), "{text}");
        let json = serde_json::to_value(&findings).unwrap();
        assert_eq!(json["driver"]["cuda"], "13.0");
        assert_eq!(json["devices"][0]["memory_bytes"], 3_u64 << 29);
        assert_eq!(json["device_toolchain"]["fix"], "warpswarm setup");
        assert_eq!(json["backends"]["gpu"], true);
        assert_eq!(json["devices"][0]["has_clusters"], true);
        assert_eq!(json["devices"][0]["runs_kernels"], serde_json::Value::Null);
    }

    #[test]
    fn what_an_older_device_lacks_is_said() {
        let device = |compute_capability| system::Device {
            name: "A GPU".into(),
            memory: 3 << 29,
            compute_capability,
            multiprocessors: 7,
        };
        let kernels = system::Kernels { count: 1, arch: "sm_75".into(), toolchain: "rustc".into() };
        let devices = vec![device((7, 5)), device((6, 1))];
        let system = System { kernels: Ok(kernels), devices, ..system() };
        let text = printed(&Findings::of(system, Err("none".into()), true));
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let after = |start: &str| {
            let at = lines.iter().position(|line| line.contains(start)).unwrap();
            lines[at + 1]
        };
        assert!(after("capability 7.5").starts_with("runs everything; large runs"), "{text}");
        assert_eq!(after("capability 6.1"), "too old for the GPU kernels");
        assert!(text.contains("1 for sm_75 and later"), "{text}");
    }
}
