//! Source code as statements and tokens, comments and layout left out.

use gavel_rules::work::{BLOCK, Span, Statement, StatementKind, Token, TokenKind};
use tree_sitter::Node;

use super::assertions;
use crate::syntax::SourceLanguage;

/// Code that is nested deeper is one token: its parts are not compared one by one.
const MOST_DEPTH: usize = 200;

/// The source of one file.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) language: SourceLanguage,
}

impl<'a> Source<'a> {
    pub(super) fn of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn field(&self, node: Node<'_>, name: &str) -> &'a str {
        node.child_by_field_name(name)
            .map_or("", |node| self.of(node))
    }

    /// The tokens of a node, those of its blocks included.
    pub(super) fn tokens(&self, node: Node<'_>) -> Vec<Token> {
        let mut parts = Parts::flat();
        self.walk(node, 0, &mut parts);
        parts.tokens
    }

    /// The tokens of a node up to the one at `end`.
    pub(super) fn head(&self, node: Node<'_>, end: usize) -> Vec<Token> {
        let mut parts = Parts::flat();
        parts.end = end;
        self.walk(node, 0, &mut parts);
        parts.tokens
    }

    /// A node as one statement.
    pub(super) fn statement(&self, node: Node<'_>) -> Statement {
        self.statement_at(node, 0)
    }

    /// The statements of a block; for code that is no block, the one statement that it is.
    pub(super) fn body(&self, node: Node<'_>) -> Vec<Statement> {
        if self.is_block(node) {
            self.block(node, 0)
        } else {
            vec![self.statement(node)]
        }
    }

    fn statement_at(&self, node: Node<'_>, depth: usize) -> Statement {
        let mut parts = Parts::with_blocks();
        self.walk(node, depth, &mut parts);
        let mut tokens = parts.tokens;
        let is_macro = node.kind() == "macro_invocation"
            || node.kind() == "expression_statement"
                && node
                    .named_child(0)
                    .is_some_and(|inner| inner.kind() == "macro_invocation");
        // The last assertion of a block needs none, and gets one when another follows.
        if is_macro && tokens.last().is_some_and(|token| token.is_sign(";")) {
            tokens.pop();
        }
        Statement {
            kind: self.kind(node, &tokens),
            line: line_of(node),
            tokens,
            blocks: parts.blocks.unwrap_or_default(),
        }
    }

    fn block(&self, node: Node<'_>, depth: usize) -> Vec<Statement> {
        let mut cursor = node.walk();
        let inner: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        inner
            .into_iter()
            .filter(|child| !is_comment(*child) && !self.says_nothing(*child))
            .map(|child| self.statement_at(child, depth + 1))
            .collect()
    }

    /// `pass`, `...` and a text that nothing is done with.
    fn says_nothing(&self, node: Node<'_>) -> bool {
        let only = node
            .named_child(0)
            .filter(|_| node.named_child_count() == 1);
        let is_idle = |inner: Node<'_>| matches!(inner.kind(), "string" | "ellipsis");
        node.kind() == "pass_statement"
            || node.kind() == "empty_statement"
            || self.language == SourceLanguage::Python
                && node.kind() == "expression_statement"
                && only.is_some_and(is_idle)
    }

    pub(super) fn is_block(&self, node: Node<'_>) -> bool {
        matches!(
            node.kind(),
            "block" | "statement_block" | "declaration_list" | "class_body"
        )
    }

    fn walk(&self, node: Node<'_>, depth: usize, parts: &mut Parts) {
        if is_comment(node) || node.start_byte() >= parts.end {
            return;
        }
        if depth > MOST_DEPTH {
            parts.push(TokenKind::Sign, self.of(node));
            return;
        }
        if depth > 0 && self.is_block(node) && parts.blocks.is_some() {
            parts.push(TokenKind::Sign, BLOCK);
            let inner = self.block(node, depth);
            if let Some(blocks) = &mut parts.blocks {
                blocks.push(inner);
            }
            return;
        }
        if let Some(text) = self.literal(node) {
            parts.push(TokenKind::Text, &text);
            return;
        }
        if node.child_count() == 0 {
            self.leaf(node, parts);
            return;
        }
        let mut cursor = node.walk();
        let inner: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in inner {
            // The root of a statement may be a block itself; everything below is deeper.
            self.walk(child, depth + 1, parts);
        }
    }

    fn leaf(&self, node: Node<'_>, parts: &mut Parts) {
        let text = self.of(node);
        let kind = node.kind();
        let is_script = self.language != SourceLanguage::Rust;
        if text.trim().is_empty() || is_script && text == ";" {
            return;
        }
        let closes = matches!(text, ")" | "]" | "}");
        let parent = node.parent();
        let is_single = parent.is_some_and(|parent| {
            matches!(parent.kind(), "tuple" | "tuple_expression") && parent.named_child_count() == 1
        });
        if closes && !is_single && parts.tokens.last().is_some_and(|last| last.is_sign(",")) {
            parts.tokens.pop();
        }
        let kind = if kind.ends_with("identifier") {
            TokenKind::Word
        } else if matches!(
            kind,
            "integer_literal" | "float_literal" | "integer" | "float" | "number"
        ) {
            TokenKind::Number
        } else if matches!(
            kind,
            "string_content" | "string_fragment" | "escape_sequence"
        ) {
            TokenKind::Text
        } else {
            TokenKind::Sign
        };
        parts.push(kind, text);
    }

    /// A string without code in it, as one text between double quotes.
    fn literal(&self, node: Node<'_>) -> Option<String> {
        let text = self.of(node);
        match node.kind() {
            "string_literal" | "raw_string_literal" | "char_literal" | "regex" => {
                Some(text.to_owned())
            }
            "string" | "template_string" => {
                let mut cursor = node.walk();
                let has_code = node
                    .named_children(&mut cursor)
                    .any(|child| matches!(child.kind(), "interpolation" | "template_substitution"));
                (!has_code).then(|| unquoted(text))
            }
            _ => None,
        }
    }

    fn kind(&self, node: Node<'_>, tokens: &[Token]) -> StatementKind {
        let by_node = match node.kind() {
            "let_declaration" => self.binding(node.child_by_field_name("pattern")),
            "lexical_declaration" | "variable_declaration" => self.declared(node),
            "use_declaration"
            | "extern_crate_declaration"
            | "import_statement"
            | "import_from_statement"
            | "future_import_statement" => Some(StatementKind::Import),
            "macro_definition"
            | "decorated_definition"
            | "function_declaration"
            | "class_declaration"
            | "function_definition"
            | "class_definition"
            | "generator_function_declaration"
            | "export_statement"
            | "interface_declaration"
            | "type_alias_declaration"
            | "enum_declaration" => Some(StatementKind::Definition(self.defined(node))),
            "return_statement" | "return_expression" => Some(StatementKind::Leave),
            "expression_statement" => self.expression(node),
            "method_definition" => Some(StatementKind::Definition(self.defined(node))),
            kind if kind.ends_with("_item") && kind != "attribute_item" => {
                Some(StatementKind::Definition(self.defined(node)))
            }
            _ => None,
        };
        match by_node {
            Some(kind) => kind,
            None if assertions::leaves(tokens) => StatementKind::Leave,
            None if assertions::count(self.language, tokens) > 0 => StatementKind::Assertion,
            None => StatementKind::Other,
        }
    }

    fn expression(&self, node: Node<'_>) -> Option<StatementKind> {
        let inner = node.named_child(0)?;
        match inner.kind() {
            "return_expression" => Some(StatementKind::Leave),
            "assignment" => self.binding(inner.child_by_field_name("left")),
            _ => None,
        }
    }

    /// The names that a pattern binds; `None` for an item or an attribute of something else.
    fn binding(&self, pattern: Option<Node<'_>>) -> Option<StatementKind> {
        let pattern = pattern?;
        if matches!(
            pattern.kind(),
            "attribute" | "subscript" | "member_expression"
        ) {
            return None;
        }
        let tokens = self.tokens(pattern);
        let names = tokens.iter().filter(|token| token.kind == TokenKind::Word);
        Some(StatementKind::Binding(
            names.map(|token| token.text.clone()).collect(),
        ))
    }

    fn declared(&self, node: Node<'_>) -> Option<StatementKind> {
        let mut cursor = node.walk();
        let all: Vec<Node<'_>> = node
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "variable_declarator")
            .collect();
        let is_required = |one: &Node<'_>| {
            let value = self.field(*one, "value").trim_start_matches("await ");
            value.starts_with("require(") || value.starts_with("import(")
        };
        if !all.is_empty() && all.iter().all(is_required) {
            return Some(StatementKind::Import);
        }
        let names =
            all.iter()
                .filter_map(|one| match self.binding(one.child_by_field_name("name")) {
                    Some(StatementKind::Binding(names)) => Some(names),
                    _ => None,
                });
        Some(StatementKind::Binding(names.flatten().collect()))
    }

    /// The name that a definition gives, with what an implementation is for.
    pub(super) fn defined(&self, node: Node<'_>) -> String {
        let inner = node
            .child_by_field_name("definition")
            .or_else(|| node.child_by_field_name("declaration"))
            .unwrap_or(node);
        let named = self.field(inner, "name");
        if named.is_empty() {
            self.field(inner, "type").to_owned()
        } else {
            named.to_owned()
        }
    }
}

/// What a walk gathers.
struct Parts {
    tokens: Vec<Token>,
    /// `None` where blocks are walked like everything else.
    blocks: Option<Vec<Vec<Statement>>>,
    end: usize,
}

impl Parts {
    const fn flat() -> Self {
        Self {
            tokens: Vec::new(),
            blocks: None,
            end: usize::MAX,
        }
    }

    const fn with_blocks() -> Self {
        Self {
            tokens: Vec::new(),
            blocks: Some(Vec::new()),
            end: usize::MAX,
        }
    }

    fn push(&mut self, kind: TokenKind, text: &str) {
        self.tokens.push(Token {
            kind,
            text: text.to_owned(),
        });
    }
}

/// A string with double quotes, whatever its own, its prefix kept.
fn unquoted(text: &str) -> String {
    let start = text.find(['"', '\'', '`']).unwrap_or_default();
    let (prefix, quoted) = text.split_at(start);
    let quotes = ["\"\"\"", "'''", "\"", "'", "`"];
    let inner = quotes.iter().find_map(|quote| {
        let rest = quoted.strip_prefix(quote)?;
        rest.strip_suffix(quote)
    });
    format!("{prefix}\"{}\"", inner.unwrap_or(quoted))
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_comment" | "block_comment")
}

pub(super) fn line_of(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

pub(super) fn span_of(node: Node<'_>) -> Span {
    Span {
        start: node.start_byte(),
        end: node.end_byte(),
    }
}

/// Every node at and below one, parents first.
pub(super) fn all_nodes(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        found.push(node);
        let mut cursor = node.walk();
        let inner: Vec<_> = node.children(&mut cursor).collect();
        waiting.extend(inner.into_iter().rev());
    }
    found
}
