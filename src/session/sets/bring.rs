//! Brings a set to its contract: its members become takes with the stages that repair them.

use super::{BringRequest, UnmetCell, contract_of, member_index};
use crate::delivery::{Repaired, Subject};
use crate::{JobKey, OpenDocument, Session, Severity};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_takes::document::clip_set::MemberClip;

impl Session {
    /// Starts a job that repairs the set of `request`; the result is one undo step. It is dropped if the set was changed
    /// meanwhile.
    pub(crate) fn bring_set(&mut self, request: BringRequest) {
        let Some(set) = self.document.sets.get(request.set).cloned() else { return };
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let subjects = opened.subjects_of(&set);
        let contract = contract_of(&set, &subjects);
        let (document, library) = (self.document.clone(), self.library.clone());
        let known: Vec<Subject> = subjects.iter().flatten().cloned().collect();
        let wanted = request.clone();
        let work = move |progress: &Progress| {
            Repaired::bring((&document, &library), known, &contract, &|row| wanted.wants(row), progress)
        };
        self.jobs.start(JobKey::BringSet, work, move |session, repaired| {
            // The set may have been changed meanwhile.
            if let Ok(repaired) = repaired
                && session.document.sets.get(request.set) == Some(&set)
            {
                session.apply_repair(request.set, &subjects, &repaired);
            }
        });
    }

    /// Adds the repaired takes to a folder, makes them members of set `index` and adds a notice. Keeps the requirements that
    /// could not be met for the table.
    fn apply_repair(&mut self, index: usize, subjects: &[Option<Subject>], repaired: &Repaired) {
        let before = self.document.takes.len();
        let ids = self.add_repaired(repaired);
        let Some(set) = self.document.sets.get_mut(index) else { return };
        for (take, id) in repaired.takes.iter().zip(ids) {
            match member_index(subjects, &take.name) {
                Some(at) if at < set.members.len() => set.members[at].clip = MemberClip::Take(id),
                Some(_) => set.stance = Some(MemberClip::Take(id)),
                None => {}
            }
        }
        let name = set.name.clone();
        let unmet = repaired.unmet.iter().map(|unmet| UnmetCell {
            set: name.clone(),
            member: unmet.row.clip.as_ref().and_then(|clip| member_index(subjects, clip)),
            requirement: unmet.row.requirement,
            why: unmet.why.clone(),
        });
        self.sets.unmet.retain(|known| known.set != name);
        self.sets.unmet.extend(unmet);
        self.gather_new_takes(before, &name);
        let count = repaired.takes.iter().filter(|take| take.added > 0).count();
        let left = repaired.unmet.len();
        let severity = if left == 0 { Severity::Done } else { Severity::Warning };
        let message = match count {
            count if left == 0 => message!(
                "notice.set_met",
                "Repaired %{count} %{count|member|members} of “%{set}”. All requirements are met.",
                count,
                set = &name
            ),
            0 => message!(
                "notice.set_unchanged",
                "No member of “%{set}” was changed; %{left} requirements are not met. Point at a figure in the table to read why.",
                set = &name,
                left
            ),
            count => message!(
                "notice.set_repaired",
                "Repaired %{count} %{count|member|members} of “%{set}”; %{left} requirements are not met.",
                count,
                set = &name,
                left
            ),
        };
        self.notices.add(severity, message);
    }
}
