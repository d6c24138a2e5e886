//! The money door: a call passes when its ceiling fits every cap and nobody objects to the model.

use gavel_domain::{
    AnswerValue, Blob, BreakerTripped, Cap, CapChanged, CapScope, Digest, Key, MicroUsd, Month,
    QuestionAnswered, RecordDraft, RecordKey, SpendAllowed, SpendClass,
};
use gavel_rules::Breaker;
use gavel_store::{CallId, LedgerChange, Reservation, TotalsOf};

use crate::call::Plan;
use crate::journal::Journal;
use crate::money_cards::{ALLOW, Breach, Doubt, STOP};
use crate::writer::{Proposal, Refusal};
use crate::{PaidConsent, Run, RunError, Stop};

impl Run {
    /// Reserves the ceiling of a call in a commit of its own and returns the attempt's number.
    ///
    /// Room that calls under way may still give back is waited for; when nothing is left, a person
    /// is asked.
    pub(crate) async fn reserve(&self, plan: &mut Plan, blobs: Vec<Blob>) -> Result<u32, RunError> {
        self.check_consent(plan).await?;
        let mut changed = self.inner.changed.subscribe();
        loop {
            self.inner.may_go_on()?;
            changed.borrow_and_update();
            let seen = self.inner.journal().head.seq;
            let (number, _) = self.next_attempt(&plan.key);
            let proposal = self.reservation(plan, number, blobs.clone())?;
            let cap = match self.inner.propose(proposal).await {
                Ok(_) => return Ok(number),
                Err(Refusal::Fatal(error)) => return Err(error),
                Err(Refusal::OverCap(cap)) => cap,
            };
            if self.recount(plan).await {
                continue;
            }
            let (moved_on, others_under_way) = {
                let journal = self.inner.journal();
                (
                    journal.head.seq != seen,
                    !journal.view.reservations.is_empty(),
                )
            };
            if moved_on {
                // Somebody may have given room back meanwhile.
                continue;
            }
            if others_under_way {
                tokio::select! {
                    moved = changed.changed() => if moved.is_err() { return Err(RunError::Cut) },
                    () = self.inner.stop.pausing() => return Err(self.inner.stopped()),
                }
            } else {
                self.ask_for_more(cap, plan).await?;
            }
        }
    }

    fn reservation(
        &self,
        plan: &Plan,
        number: u32,
        mut blobs: Vec<Blob>,
    ) -> Result<Proposal, RunError> {
        let draft = self.reservation_draft(plan, number)?;
        let now = self.inner.clock.now();
        let stage = self.inner.journal().head.stage;
        let reservation = Reservation {
            call: CallId {
                run: self.id(),
                key: draft.key.clone(),
            },
            month: Month::of(now),
            at: now,
            model: plan.model(),
            role: plan.call.role,
            stage,
            class: plan.class,
            money: plan.ceiling.unwrap_or_default(),
            tokens: plan.input_max + plan.output_max,
            // The writer puts in the caps that are in force when it commits.
            caps: Vec::new(),
        };
        blobs.push(plan.manifest.clone());
        Ok(Proposal {
            blobs,
            ledger: vec![LedgerChange::Reserve(reservation)],
            ..Proposal::of(draft)
        })
    }

    /// A person must have agreed to a spend that no cap can bound, and once to spending at all.
    async fn check_consent(&self, plan: &Plan) -> Result<(), RunError> {
        let model = plan.model();
        // Of all runs: a model that broke its ceiling once is not trusted by the next run either.
        let broken = self.inner.store.breaches(&model).await?;
        let allowed = {
            let journal = self.inner.journal();
            journal.view.allowed.get(&model).copied()
        };
        if allowed.is_some_and(|until| until >= broken) {
            return Ok(());
        }
        let doubt = if broken > 0 {
            Doubt::CeilingBroken(broken)
        } else if plan.class != SpendClass::Metered {
            if self.project_agreed(&model).await? {
                return Ok(());
            }
            Doubt::PriceUnknown
        } else if plan.ceiling.is_some_and(|ceiling| ceiling > MicroUsd::ZERO)
            && self.is_first_spend().await?
        {
            Doubt::FirstSpend {
                price: plan.info.price,
                ceiling: plan.ceiling.unwrap_or_default(),
            }
        } else {
            return Ok(());
        };
        self.ask_consent(model, doubt).await
    }

    /// True when somebody agreed to the unknown price of this model in an earlier run of the project.
    async fn project_agreed(&self, model: &str) -> Result<bool, RunError> {
        let project = self.inner.journal().head.project;
        let Some(project) = project else {
            return Ok(false);
        };
        let key = allowed_key(model, 0)?;
        Ok(self.inner.store.was_agreed(project, &key).await?)
    }

    /// True when nobody agreed in the settings and this store has never spent anything.
    async fn is_first_spend(&self) -> Result<bool, RunError> {
        match self.inner.options.paid {
            PaidConsent::Given => Ok(false),
            PaidConsent::Ask => {
                let ever = self.inner.store.totals(TotalsOf::AllMonths).await?;
                Ok(ever.money() == MicroUsd::ZERO)
            }
        }
    }

    async fn ask_consent(&self, model: String, doubt: Doubt) -> Result<(), RunError> {
        let broken = match doubt {
            Doubt::CeilingBroken(times) => times,
            Doubt::PriceUnknown | Doubt::FirstSpend { .. } => 0,
        };
        let name = Digest::of(&model).short();
        let question = format!("money/consent-{name}-{broken}");
        let asking = self.asking(&self.inner.journal(), &question, |_| Ok(false))?;
        let question = Key::engine(format!("{question}{asking}"))?;
        let card = doubt.question(&model, &self.inner.journal().view.caps());
        let answered = self.ask_engine(question.clone(), card).await?;
        let agreed = matches!(&answered.value.value, AnswerValue::Option { id } if id == ALLOW);
        if !agreed {
            return Err(RunError::Stopped(Stop::Budget { question }));
        }
        let place = allowed_key(&model, broken)?;
        let fact = SpendAllowed {
            model,
            broken,
            by: answered.value.by,
        };
        self.write_once(RecordDraft::new(place, &fact)?).await
    }

    /// Asks a person to raise a cap. All calls that meet the same limit share one question.
    async fn ask_for_more(&self, cap: Cap, plan: &Plan) -> Result<(), RunError> {
        let room = cap.scope.room();
        let (question, place) = {
            let journal = self.inner.journal();
            if !journal.view.caps().list().contains(&cap) {
                // Somebody changed it meanwhile.
                return Ok(());
            }
            let question = format!("money/cap-{room}-{}", cap.limit);
            let place = format!("money/raised-{room}-{}", cap.limit);
            // The cap is in force again although an answer raised it: that answer is used up.
            let raised = |asking: &str| {
                let place = Key::engine(format!("{place}{asking}"))?.outcome();
                Ok(journal.get(&place).is_some())
            };
            let asking = self.asking(&journal, &question, raised)?;
            let place = Key::engine(format!("{place}{asking}"))?.outcome();
            (Key::engine(format!("{question}{asking}"))?, place)
        };
        let breach = self.breach(cap, plan).await?;
        let fact = RecordDraft::new(question.part("breaker"), &tripped(breach, plan))?;
        let answered = self
            .ask_beside(question.clone(), breach.question(), Some(fact))
            .await?;
        let AnswerValue::Limit { limit } = answered.value.value else {
            return Err(RunError::Stopped(Stop::Budget { question }));
        };
        let cap = Cap {
            scope: cap.scope,
            limit,
        };
        let fact = CapChanged {
            cap,
            by: answered.value.by,
        };
        self.write_once(RecordDraft::new(place, &fact)?).await
    }

    /// What the breaker of the caps saw, for whoever decides.
    async fn breach(&self, cap: Cap, plan: &Plan) -> Result<Breach, RunError> {
        let of = match cap.scope {
            CapScope::RunUsd | CapScope::RunTokens => TotalsOf::Run(self.id()),
            CapScope::MonthUsd => TotalsOf::Month(Month::of(self.inner.clock.now())),
        };
        let totals = self.inner.store.totals(of).await?;
        let (spent, reserved, projected) = match cap.scope {
            CapScope::RunUsd | CapScope::MonthUsd => (
                (totals.settled + totals.unconfirmed).0,
                totals.reserved.0,
                plan.ceiling.unwrap_or_default().0,
            ),
            CapScope::RunTokens => (
                (totals.settled_tokens + totals.unconfirmed_tokens).0,
                totals.reserved_tokens.0,
                (plan.input_max + plan.output_max).0,
            ),
        };
        Ok(Breach {
            cap,
            spent,
            reserved,
            projected,
        })
    }

    /// Which asking of a question about money this is: nothing for the first, then `/2`, `/3` …
    ///
    /// Who stopped an earlier drive is asked anew by the next, and so is who was asked something
    /// whose answer is used up.
    fn asking(
        &self,
        journal: &Journal,
        question: &str,
        is_used_up: impl Fn(&str) -> Result<bool, RunError>,
    ) -> Result<String, RunError> {
        let mut asking = String::new();
        for next in 2_u32.. {
            let key = Key::engine(format!("{question}{asking}"))?.outcome();
            let stopped_before = match journal.get(&key) {
                Some(record) if record.seq <= self.inner.began_at => {
                    let answered: QuestionAnswered = record.read()?;
                    matches!(answered.value, AnswerValue::Option { id } if id == STOP)
                }
                Some(_) | None => false,
            };
            if !stopped_before && !is_used_up(&asking)? {
                break;
            }
            asking = format!("/{next}");
        }
        Ok(asking)
    }

    /// Writes an engine fact unless another call wrote it first.
    async fn write_once(&self, draft: RecordDraft) -> Result<(), RunError> {
        self.write(Proposal::unless_there(draft)).await?;
        Ok(())
    }
}

fn tripped(breach: Breach, plan: &Plan) -> BreakerTripped {
    let numbers = [
        (cap_named(breach.cap.scope), breach.cap.limit),
        ("spent", breach.spent),
        ("reserved", breach.reserved),
        ("projected", breach.projected),
    ];
    let number = |(name, amount): (&str, u64)| {
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        (name.to_owned(), amount)
    };
    BreakerTripped {
        breaker: Breaker::CapBreach.word().to_owned(),
        reason: "cap_breach".to_owned(),
        sprint: None,
        role: Some(plan.call.role),
        degraded: false,
        numbers: numbers.into_iter().map(number).collect(),
    }
}

/// The cap's name among the numbers of a breaker: it says what the others count.
const fn cap_named(scope: CapScope) -> &'static str {
    match scope {
        CapScope::RunUsd => "cap_run_usd",
        CapScope::MonthUsd => "cap_month_usd",
        CapScope::RunTokens => "cap_run_tokens",
    }
}
/// Where a person's word about a model is kept.
fn allowed_key(model: &str, broken: u32) -> Result<RecordKey, RunError> {
    let name = Digest::of(model).short();
    Ok(Key::engine(format!("money/allowed-{name}-{broken}"))?.outcome())
}
