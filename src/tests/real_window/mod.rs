//! A virtual display with the program's window, and simulated user input: pointing, dragging, clicking and reading
//! pixels.

mod commands;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

pub type Rgb = [u8; 3];

/// Colour of targets.
const RING: Rgb = [0x4C, 0xC2, 0xFF];
/// Colour of the main button of a dialog.
const BUTTON: Rgb = [0xFF, 0x8A, 0x3D];
const SIZE: (usize, usize) = (1280, 800);
/// Area of the viewport that shows the character.
pub const VIEW: Area = Area { x: (225, 900), y: (80, 440) };
/// A column of the palette's left margin.
const PALETTE_MARGIN: Area = Area { x: (395, 396), y: (90, 380) };
const ALL: Area = Area { x: (0, SIZE.0), y: (0, SIZE.1) };
const PATIENCE: Duration = Duration::from_secs(80);
/// Time without changes after which a window counts as idle; a busy machine needs long per frame.
const REST: Duration = Duration::from_millis(400);
/// Time within which the display must open.
const START: Duration = Duration::from_secs(30);
/// Time within which `xdotool` must end.
const INPUT: Duration = Duration::from_secs(30);
/// Maximum number of clicks on a button that does not respond.
const PRESSES: u32 = 8;

/// Name of a file that makes the window panic.
const FAILS: &str = "fail";

#[derive(Clone, Copy)]
pub struct Area {
    pub x: (usize, usize),
    pub y: (usize, usize),
}

/// A child process that is killed when the test ends.
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
    /// Folder with the server's framebuffer, which is read without another process.
    memory: tempfile::TempDir,
    /// Only one display runs at a time, because software-rendered windows compete for the processor.
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Display {
    pub fn open() -> Result<Self, String> {
        for tool in ["Xvfb", "xdotool"] {
            let found = std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()));
            if !found {
                return Err(format!("{tool} is not installed"));
            }
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut xvfb = Command::new("Xvfb");
        // With a reset after its last client, the server would drop clients that connect meanwhile.
        let memory = tempfile::tempdir().map_err(|error| error.to_string())?;
        xvfb.args(["-displayfd", "1", "-screen", "0", "2560x1440x24", "-nolisten", "tcp", "-noreset"]);
        // A pointer in the picture would count as a change of the window.
        xvfb.args(["-nocursor", "-fbdir"]);
        xvfb.arg(memory.path());
        let server = xvfb.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = Running(server.map_err(|error| format!("Xvfb did not start: {error}"))?);
        let output = server.0.stdout.take().ok_or("Xvfb says nothing")?;
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut number = String::new();
            let _ = BufReader::new(output).read_line(&mut number);
            sender.send(number)
        });
        let number = receiver.recv_timeout(START).map_err(|_| "Xvfb opens no display")?;
        match number.trim() {
            "" => Err("Xvfb opened no display".into()),
            number => Ok(Self { name: format!(":{number}"), _server: server, memory, _turn: turn }),
        }
    }

    /// Returns the pixels of the screen from its upper left corner on, row by row.
    fn screen(&self) -> Vec<Rgb> {
        let bytes = std::fs::read(self.framebuffer()).unwrap();
        // The file is an X window dump: big-endian words, then colours of 12 bytes, then rows of 4 bytes per pixel.
        let word = |index: usize| u32::from_be_bytes(bytes[4 * index..4 * index + 4].try_into().unwrap()) as usize;
        let (header, pitch, colours) = (word(0), word(12), word(19));
        let first = header + 12 * colours;
        let row =
            |y: usize| bytes[first + y * pitch..][..4 * SIZE.0].chunks_exact(4).map(|bgr| [bgr[2], bgr[1], bgr[0]]);
        (0..SIZE.1).flat_map(row).collect()
    }

    /// Returns the server's framebuffer, an X window dump.
    pub fn framebuffer(&self) -> PathBuf {
        self.memory.path().join("Xvfb_screen0")
    }

    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env("LIBGL_ALWAYS_SOFTWARE", "1");
        command
    }

    pub fn program(&self, home: &Path) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_portamento"));
        // No desktop service answers, so the window asks for paths itself.
        command.env("PORTAMENTO_HOME", home).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        command
    }
}

/// The program's window.
pub struct Window<'a> {
    display: &'a Display,
    program: RefCell<Running>,
    id: String,
    /// File with its standard error output.
    words: PathBuf,
    pub project: PathBuf,
}

impl<'a> Window<'a> {
    /// Opens the window with a copy of the sample project.
    pub fn open(display: &'a Display, folder: &Path) -> Result<Self, String> {
        let project = samples(folder);
        Self::start(display, folder, Some(&project), "^samples")
    }

    /// Starts the window with that argument and waits until its title matches `title`; `folder` contains the project
    /// and the user folder.
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
                window.xdotool(&["windowfocus", &window.id, "windowmove", &window.id, "0", "0"]);
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
        let mut xdotool = Running(self.display.command("xdotool").args(arguments).spawn().unwrap());
        let deadline = Instant::now() + INPUT;
        let status = loop {
            if let Some(status) = xdotool.0.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "xdotool {arguments:?} does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        assert!(status.success(), "xdotool {arguments:?}");
    }

    pub fn key(&self, keys: &str) {
        self.xdotool(&["key", "--clearmodifiers", keys]);
    }

    /// Types `text` into the focused field.
    fn text(&self, text: &str) {
        self.xdotool(&["type", "--clearmodifiers", "--delay", "1", text]);
    }

    /// Runs the command, or shows the take, that the palette finds for `words`. Waits until the palette has opened and
    /// closed, because a slow window would take letters of the next query for this one.
    fn palette(&self, words: &str) {
        self.key("ctrl+p");
        self.wait_nudging("the palette opens", || self.has_palette().then_some(()));
        self.text(words);
        self.key("Return");
        self.wait_nudging("the palette closes", || (!self.has_palette()).then_some(()));
    }

    /// Repeats `question` until it returns a value, and nudges the pointer meanwhile.
    #[track_caller]
    fn wait_nudging<T>(&self, what: &str, mut question: impl FnMut() -> Option<T>) -> T {
        let mut nudged = Instant::now();
        wait(what, || {
            self.nudge(&mut nudged);
            question()
        })
    }

    /// Moves the pointer by a pixel if the last time was a second ago. Events that arrive while the window draws may wait in
    /// its queue until the next event.
    fn nudge(&self, last: &mut Instant) {
        if last.elapsed() > Duration::from_secs(1) {
            *last = Instant::now();
            self.xdotool(&["mousemove_relative", "--", "-1", "0", "mousemove_relative", "1", "0"]);
        }
    }

    /// True if the palette is open: its left margin has one colour over its height, unlike the view behind it.
    fn has_palette(&self) -> bool {
        let pixels = self.pixels();
        let margin = |y: usize| pixels[y * SIZE.0 + PALETTE_MARGIN.x.0];
        (PALETTE_MARGIN.y.0..PALETTE_MARGIN.y.1).all(|y| margin(y) == margin(PALETTE_MARGIN.y.0))
    }

    fn click(&self, (x, y): (usize, usize)) {
        let [x, y] = [x, y].map(|at| at.to_string());
        self.xdotool(&["mousemove", "--window", &self.id, &x, &y, "click", "1"]);
    }

    /// Returns the exit status once the program has ended.
    fn ended(&self) -> Option<std::process::ExitStatus> {
        self.program.borrow_mut().0.try_wait().unwrap()
    }

    fn point(&self, (x, y): (usize, usize)) {
        self.xdotool(&["mousemove", "--window", &self.id, &x.to_string(), &y.to_string()]);
    }

    /// Returns the current pixels, row by row. The window is in the upper left corner of the screen.
    fn pixels(&self) -> Vec<Rgb> {
        self.display.screen()
    }

    /// Returns the pixels once the window is idle.
    fn still(&self) -> Vec<Rgb> {
        self.still_for(REST)
    }

    /// Returns the pixels once they have not changed for that time.
    fn still_for(&self, rest: Duration) -> Vec<Rgb> {
        let mut last = self.pixels();
        let mut since = Instant::now();
        wait("the window comes to rest", || {
            let now = self.pixels();
            if now != last {
                (last, since) = (now, Instant::now());
            }
            (since.elapsed() > rest).then(|| last.clone())
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

    /// Saves and returns the content of the written file.
    pub fn save(&self) -> String {
        self.wait_unsaved(true);
        self.key("ctrl+s");
        self.wait_unsaved(false);
        std::fs::read_to_string(&self.project).unwrap()
    }

    /// Returns the centre of the blue ring.
    pub fn ring(&self) -> (usize, usize) {
        wait("the target's ring is drawn", || {
            let seen = of_colour(&self.pixels(), VIEW, RING);
            let left = *seen.iter().min()?;
            let right = *seen.iter().max()?;
            // The ring has a constant size on screen; a smaller area is only a part of it.
            (right.0 - left.0 > 40).then_some(((left.0 + right.0) / 2, (left.1 + right.1) / 2))
        })
    }

    /// Drags from `from` along `steps`; waits until the window has handled each step.
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
        // Keys act on the drag until its end is drawn.
        seen("the readout goes");
    }

    /// Clicks the main button of the open dialog until `has_answered`.
    ///
    /// On a busy machine a click may reach a growing dialog or be ignored, so the result is checked instead of the
    /// picture.
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
                // Press and release at once: a long press is not a click.
                self.xdotool(&["click", "1"]);
                // Move away, because the hovered button has another colour.
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

    /// Moves the focus by `steps` widgets and activates the focused one, waiting for each step.
    pub fn press_by_keys(&self, steps: usize) {
        for _ in 0..steps {
            let before = self.still();
            self.key("Tab");
            wait("the focus goes on", || (self.pixels() != before).then_some(()));
        }
        self.still();
        self.key("space");
    }

    /// Returns a point on each visible main button, from top to bottom.
    pub fn main_buttons(&self) -> Vec<(usize, usize)> {
        main_buttons(&self.still())
    }

    /// Makes the window panic in its next frame; returns its error output.
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

/// Copies the sample project to `folder`.
pub fn samples(folder: &Path) -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for file in std::fs::read_dir(assets).unwrap().map(Result::unwrap).filter(|file| file.path().is_file()) {
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    folder.join("samples.portamento")
}

fn output(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.stderr(Stdio::null()).output().unwrap().stdout).trim().to_owned()
}

fn pause() {
    std::thread::sleep(Duration::from_millis(15));
}

/// Repeats `question` until it returns a value.
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

/// Returns the positions in `area` with `colour`.
fn of_colour(pixels: &[Rgb], area: Area, colour: Rgb) -> Vec<(usize, usize)> {
    let all = (area.y.0..area.y.1).flat_map(|y| (area.x.0..area.x.1).map(move |x| (x, y)));
    all.filter(|&(x, y)| is_near(pixels[y * SIZE.0 + x], colour)).collect()
}

/// Returns a point on the left edge of each main button, from top to bottom: a fill of at least 40 × 16 pixels.
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
