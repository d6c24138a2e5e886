//! Every pure decision of Gavel. Nothing here awaits, reads a clock, draws or touches anything:
//! data in, data out, tested as tables and properties.

mod answers;
mod approval_rule;
mod asks;
mod breakers;
mod chain;
mod choices;
mod citing;
mod compaction;
mod contradictions;
pub mod council;
pub mod deliberation;
mod display;
mod evidence;
pub mod examples;
mod feedback;
mod forensics;
mod gate;
mod grants;
mod guard;
mod install_findings;
mod install_requests;
mod intake;
mod interview;
mod judging;
mod kept_tests;
mod later_approval;
mod ledger;
pub mod memory;
mod owner;
mod preview;
mod proof;
mod push;
mod reach;
mod repeat;
mod repository;
mod retry;
mod role_memory;
mod runner;
mod seal_claims;
mod settings;
mod settlement;
mod shares;
mod ship_answer;
mod signs;
mod similar;
mod source_use;
mod spend;
mod stages;
mod testable;
mod verdict;
pub mod work;

pub use answers::{AnswerProblem, Interjected, check_answer, interjected, may_decide};
pub use approval_rule::approves;
pub use asks::{
    AskClaim, AskThread, ClaimCheck, CriterionShown, IdeaInTheEnd, InsteadOf, SpecWords, ThreadAsk,
    ThreadCriterion, ThreadRow, ThreadTone, Words, account_for, apart_from_left_out, cut_asks,
    cut_at, is_ask_line, is_bare_reply, leave_out, left_out, not_among, number_asks,
    number_asks_after, read_words, serves_nothing, unserved_line, without_open,
};
pub use breakers::{
    Breaker, BreakerOption, RecipeStanding, Trip, blank_verification, cost_projection, no_provider,
    oscillation, repeated_action, ship_refused, stall, wall_clock,
};
pub use chain::{Chain, ChainProblem};
pub use choices::{MOST_SPRINTS, Recommender, RunChoices};
pub use compaction::{CompactionRule, MessageKind, MessageSize, plan_compaction};
pub use contradictions::{Contradiction, IDEA, contradictions};
pub use display::{is_plain_command, sanitize_for_display, sanitize_line};
pub use evidence::{
    BrokenEvidence, Evidence, EvidenceCount, KnownEvidence, check_evidence, count_evidence,
};
pub use feedback::{FOCUS_BYTES, FeedbackTo, Focus, route_feedback};
pub use forensics::{
    BlockSeen, CallEnd, CallSeen, ClaimSeen, Dear, Finding, Forensics, MUCH_FRESH, Oddity, Peak,
    Repeated, all_input, analyse_calls, fresh_input,
};
pub use gate::{
    BaseTests, FixShown, GateInputs, GateVerdict, OwnerWord, ShipWord, WorkChecks, conditions_text,
    judge_gate,
};
pub use grants::{
    Bond, Denied, KeyScope, WhoMay, check_bound_grant, check_grant, check_served, granted_tools,
    role_word, served_tools,
};
pub use guard::{GUARD_WINDOW, Repetition, SeenCall, Verdict, judge_calls};
pub use install_findings::{install_findings, install_summary};
pub use install_requests::{
    INSTALL_NO, INSTALL_YES, install_question, install_request_name, install_requests,
};
pub use intake::{
    Circumstances, Clarity, Complexity, ComplexityLabel, CouncilWish, Gap, GrayArea, Ground,
    HalfPoints, Intake, Language, Route, RouteReason, Size, SizeLabel, Task, ground_of,
    score_intake, score_intake_in,
};
pub use interview::{
    CardPlan, Depth, InterviewQuestion, Need, Normal, QUESTIONS, RecommendedBy, Settled, SkipCase,
    Specificity, Tally, ValueProblem, Vote, allowed_values, check_answer_value, council_fits,
    depth_of, is_required, plan_cards, question, recommender_guard, specificity, tally,
};
pub use judging::{
    Claimant, Claimed, KnownProof, Ranked, Reader, TestWord, check_refs, evidence_text,
    judge_criteria, score, shown_by_test, unproven, was_executed,
};
pub use kept_tests::{KeptTest, Untold, judge_kept_test};
pub use later_approval::{Approved, approved_by_person, is_approval_line};
pub use ledger::{
    Fallen, Ledger, Raised, SettledBy, Validation, assume, assumption_id, fallen, validation,
};
pub use owner::{Independence, Voice, choose_customer, role_collision};
pub use preview::{
    Preview, PreviewCase, PricedModel, PricedStaff, StageHistory, StagePreview, preview_cost,
};
pub use proof::{
    CriterionProof, ExampleProof, FaultsEnd, FaultsJudged, ProofWord, TestProof, fault_text,
    judge_faults,
};
pub use push::{Asking, EarlierAnswer, PushCase, PushSetting, PushStep, RemoteFound, decide_push};
pub use reach::{Destination, InstallReach, NamedBy, may_dial};
pub use repeat::{SealedCriterion, ShownAgain, compare_shown_again};
pub use repository::{
    AuditMode, Ecosystem, FilesSeen, ManifestFound, RepositoryFound, audit_mode,
    classify_repository, dependency_names, is_own_file, is_test_source, look_at_files,
    manifests_among, readme_beginning, readme_headings,
};
pub use retry::{CutReply, NextTry, RetryPolicy, next_try};
pub use role_memory::{ROLE_MEMORY_BYTES, RoleMemory};
pub use runner::{
    RunnerBase, RunnerChoice, RunnerConsent, RunnerNote, RunnerReach, RunnerRules, RunnerSetting,
    RunnerStanding, Selected, compare_runners,
};
pub use seal_claims::{
    CommandClaim, IdeaBecame, KeptClaims, ProofClaims, ReplyClaim, SealClaims, SealFormat,
    SettledClaim, SpendClaim, StatedParts, WordsOnRecord, audited_by, idea_became,
    unheard_in_became,
};
pub use settings::{
    Effective, Layer, Origin, SettingProblem, distance, resolve, run_settings, variables,
};
pub use settlement::Settlement;
pub use shares::{share_left_behind, soft_share};
pub use ship_answer::{ShipAnswer, ship_answer};
pub use signs::{is_hidden, is_unseen};
pub use similar::{EarlierIdea, most_similar};
pub use source_use::{SourceUses, source_uses};
pub use spend::{Booking, CallCeiling, Claim, PERCENTS, book, crossed};
pub use stages::{HaltReason, StageEvent, may_enter, next_stage};
pub use testable::untestable_word;
pub use verdict::{AuditedBy, LeftOut, Omission, SealVerdict, seal_verdict};
