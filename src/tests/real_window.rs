//! A display without a screen, the program's window on it, and what a person does there: point, drag, press, look.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub type Rgb = [u8; 3];

/// What targets are drawn in.
const RING: Rgb = [0x4C, 0xC2, 0xFF];
/// What the main button of a dialog is filled with.
const BUTTON: Rgb = [0xFF, 0x8A, 0x3D];
const SIZE: (usize, usize) = (1280, 800);
/// Where the character is seen: between the lists, above the plots.
pub const VIEW: Area = Area { x: (225, 900), y: (80, 440) };
const ALL: Area = Area { x: (0, SIZE.0), y: (0, SIZE.1) };
const PATIENCE: Duration = Duration::from_secs(80);
/// How long a window that rests shows the same: a busy machine takes a while for each frame.
const REST: Duration = Duration::from_millis(400);
/// How often a button is pressed that does not answer.
const PRESSES: u32 = 8;

/// A file of this name lets a window fail.
const FAILS: &str = "fail";

#[derive(Clone, Copy)]
pub struct Area {
    pub x: (usize, usize),
    pub y: (usize, usize),
}

/// A program that ends with the test, however the test ends.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Display {
    name: String,
    _server: Running,
    /// One display at a time: windows that are drawn by the processor take it from each other.
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Display {
    pub fn open() -> Result<Self, String> {
        for tool in ["Xvfb", "xdotool", "import"] {
            let found = std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()));
            if !found {
                return Err(format!("{tool} is not installed"));
            }
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut xvfb = Command::new("Xvfb");
        // A server that resets when its last client leaves drops whoever connects meanwhile.
        xvfb.args(["-displayfd", "1", "-screen", "0", "2560x1440x24", "-nolisten", "tcp", "-noreset"]);
        let server = xvfb.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = Running(server.map_err(|error| format!("Xvfb did not start: {error}"))?);
        let mut number = String::new();
        let output = server.0.stdout.take().ok_or("Xvfb says nothing")?;
        BufReader::new(output).read_line(&mut number).map_err(|error| error.to_string())?;
        match number.trim() {
            "" => Err("Xvfb opened no display".into()),
            number => Ok(Self { name: format!(":{number}"), _server: server, _turn: turn }),
        }
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env("LIBGL_ALWAYS_SOFTWARE", "1");
        command
    }

    pub fn program(&self, home: &Path) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_portamento"));
        command.env("PORTAMENTO_HOME", home);
        command
    }
}

/// The program's window.
pub struct Window<'a> {
    display: &'a Display,
    program: RefCell<Running>,
    id: String,
    /// Where its standard error goes.
    words: PathBuf,
    pub project: PathBuf,
}

impl<'a> Window<'a> {
    /// The window with a copy of the sample project open.
    pub fn open(display: &'a Display, folder: &Path) -> Result<Self, String> {
        let project = samples(folder);
        Self::start(display, folder, Some(&project), "^samples")
    }

    /// The window as it starts with that argument, once its title is like `title`; `folder` has the project and the user's own
    /// files.
    pub fn start(display: &'a Display, folder: &Path, argument: Option<&Path>, title: &str) -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let words = folder.join(format!("stderr-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let mut command = display.program(&folder.join("home"));
        command.args(argument).env("PORTAMENTO_FAILS_WHERE", folder.join(FAILS));
        let mut program = Running(command.stderr(std::fs::File::create(&words).unwrap()).spawn().unwrap());
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = output(display.command("xdotool").args(["search", "--onlyvisible", "--name", title]));
            if let Some(id) = found.lines().next() {
                let project = folder.join("samples.portamento");
                let window = Self { display, program: RefCell::new(program), id: id.to_owned(), words, project };
                window.xdotool(&["windowfocus", &window.id]);
                return Ok(window);
            }
            if program.0.try_wait().unwrap().is_some() {
                let words = std::fs::read_to_string(&words).unwrap();
                assert!(words.contains("the window did not open"), "it ended by itself: {words}");
                return Err(words);
            }
            assert!(Instant::now() < deadline, "no window appeared");
            pause();
        }
    }

    fn xdotool(&self, arguments: &[&str]) {
        let status = self.display.command("xdotool").args(arguments).status().unwrap();
        assert!(status.success(), "xdotool {arguments:?}");
    }

    pub fn key(&self, keys: &str) {
        self.xdotool(&["key", "--clearmodifiers", keys]);
    }

    fn point(&self, (x, y): (usize, usize)) {
        self.xdotool(&["mousemove", "--window", &self.id, &x.to_string(), &y.to_string()]);
    }

    /// What the window shows now, row by row.
    fn pixels(&self) -> Vec<Rgb> {
        let mut import = self.display.command("import");
        let bytes = import.args(["-silent", "-window", &self.id, "-depth", "8", "rgb:-"]).output().unwrap().stdout;
        let pixels: Vec<Rgb> = bytes.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect();
        assert_eq!(pixels.len(), SIZE.0 * SIZE.1, "the window has another size");
        pixels
    }

    /// What the window shows once nothing changes any more.
    fn still(&self) -> Vec<Rgb> {
        let mut last = self.pixels();
        let mut since = Instant::now();
        wait("the window comes to rest", || {
            let now = self.pixels();
            if now != last {
                (last, since) = (now, Instant::now());
            }
            (since.elapsed() > REST).then(|| last.clone())
        })
    }

    pub fn title(&self) -> String {
        output(self.display.command("xdotool").args(["getwindowname", &self.id]))
    }

    pub fn is_unsaved(&self) -> bool {
        self.title().contains('*')
    }

    #[track_caller]
    pub fn wait_unsaved(&self, unsaved: bool) {
        wait(&format!("the title says unsaved: {unsaved}"), || (self.is_unsaved() == unsaved).then_some(()));
    }

    /// Saves, and gives the file when it is written.
    pub fn save(&self) -> String {
        self.wait_unsaved(true);
        self.key("ctrl+s");
        self.wait_unsaved(false);
        std::fs::read_to_string(&self.project).unwrap()
    }

    /// The middle of the blue ring.
    pub fn ring(&self) -> (usize, usize) {
        wait("the target's ring is drawn", || {
            let seen = of_colour(&self.pixels(), VIEW, RING);
            let left = *seen.iter().min()?;
            let right = *seen.iter().max()?;
            // The ring is as wide as it is wherever the camera stands; less is a part of it.
            (right.0 - left.0 > 40).then_some(((left.0 + right.0) / 2, (left.1 + right.1) / 2))
        })
    }

    /// Drags what lies at `from` by `steps`, each seen by the window before the next.
    pub fn drag(&self, from: (usize, usize), steps: &[(usize, usize)]) {
        let mut before = self.still();
        let mut seen = |what: &str| {
            wait(what, || (self.pixels() != before).then_some(()));
            before = self.still();
        };
        self.point(from);
        seen("the ring lights up");
        self.xdotool(&["mousedown", "1"]);
        seen("the readout appears");
        for &to in steps {
            self.point(to);
            seen("the target follows");
        }
        self.xdotool(&["mouseup", "1"]);
        // Keys belong to the drag until its end is drawn.
        seen("the readout goes");
    }

    /// Presses the one main button of the open dialog until `has_answered`.
    ///
    /// On a busy machine a press may reach a dialog that still grows or a window that does not take it for a click; what
    /// was asked for tells, not what is drawn.
    #[track_caller]
    pub fn press_main_button(&self, has_answered: impl Fn() -> bool) {
        let find = || match self.main_buttons()[..] {
            [only] => Some(only),
            _ => None,
        };
        let mut button = Some(wait("one main button is drawn", find));
        for _ in 0..PRESSES {
            if let Some(at) = button {
                self.point(at);
                self.still();
                // At once: what is held for long is no click, and a frame may take so long.
                self.xdotool(&["click", "1"]);
                // Away from the button, which has another colour under the pointer.
                self.point((SIZE.0 - 2, SIZE.1 - 2));
            }
            let patience = Instant::now() + PATIENCE / PRESSES;
            while Instant::now() < patience {
                if has_answered() {
                    return;
                }
                pause();
            }
            button = find();
        }
        panic!("the dialog does not answer");
    }

    /// Goes on by `steps` widgets of the open dialog and presses the one it comes to, once each step is seen.
    pub fn press_by_keys(&self, steps: usize) {
        for _ in 0..steps {
            let before = self.still();
            self.key("Tab");
            wait("the focus goes on", || (self.pixels() != before).then_some(()));
        }
        self.still();
        self.key("space");
    }

    /// A place on each main button that is drawn, from above.
    pub fn main_buttons(&self) -> Vec<(usize, usize)> {
        main_buttons(&self.still())
    }

    /// Lets the window fail in its next frame, and gives what it says when it has ended.
    pub fn fail(&self) -> String {
        let asked = self.project.with_file_name(FAILS);
        std::fs::write(&asked, "").unwrap();
        self.point((SIZE.0 / 2, SIZE.1 / 2));
        let status = wait("it ends by itself", || self.program.borrow_mut().0.try_wait().unwrap());
        std::fs::remove_file(asked).unwrap();
        assert!(!status.success(), "it ends as if nothing had happened");
        std::fs::read_to_string(&self.words).unwrap()
    }
}

/// A copy of the sample project in `folder`.
pub fn samples(folder: &Path) -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for file in std::fs::read_dir(assets).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    folder.join("samples.portamento")
}

fn output(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.stderr(Stdio::null()).output().unwrap().stdout).trim().to_owned()
}

fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}

/// Asks `question` again and again until it has an answer.
#[track_caller]
pub fn wait<T>(what: &str, mut question: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = question() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        pause();
    }
}

fn is_near(a: Rgb, b: Rgb) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 8)
}

/// The places in `area` that have `colour`.
fn of_colour(pixels: &[Rgb], area: Area, colour: Rgb) -> Vec<(usize, usize)> {
    let all = (area.y.0..area.y.1).flat_map(|y| (area.x.0..area.x.1).map(move |x| (x, y)));
    all.filter(|&(x, y)| is_near(pixels[y * SIZE.0 + x], colour)).collect()
}

/// A place on the left edge of each button, from above: a fill at least 16 pixels high and 40 wide.
fn main_buttons(pixels: &[Rgb]) -> Vec<(usize, usize)> {
    let is_filled = |x: usize, y: usize| is_near(pixels[y * SIZE.0 + x], BUTTON);
    let seen = of_colour(pixels, ALL, BUTTON);
    let mut rows: Vec<usize> = seen.iter().map(|at| at.1).collect();
    rows.dedup();
    let buttons = rows.chunk_by(|above, below| below - above < 4).filter_map(|rows| {
        let (top, bottom) = (*rows.first()?, *rows.last()?);
        let columns = || seen.iter().filter(|at| (top..=bottom).contains(&at.1)).map(|at| at.0);
        let (left, right) = (columns().min()?, columns().max()?);
        let at = (left + 4, (top + bottom) / 2);
        (right - left > 40 && bottom - top > 16 && bottom - top < 40 && is_filled(at.0, at.1)).then_some(at)
    });
    buttons.collect()
}
