/**
 * The text editor of scenario files: CodeMirror with completion and errors in place. A chunk that the page
 * loads when an editor opens, so it imports nothing that the page itself needs.
 */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint'
import { EditorState, type Text } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { ScenarioValidation } from '../../generated/control-types.ts'
import { type Schema, suggestionsAt } from './complete.ts'

export type Finding = ScenarioValidation['findings'][number]

export interface EditorOptions {
  readonly text: string
  readonly label: string
  readonly dark: boolean
  /** The JSON Schema of scenarios; read once, at the first completion. */
  schema(): Promise<unknown>
  /** What is wrong with a text. */
  validate(text: string): Promise<readonly Finding[]>
  changed(text: string): void
}

export interface CodeEditor {
  /** Moves the cursor there; both from 1. */
  goTo(line: number, column: number): void
  destroy(): void
}

/** Opens an editor in an empty element, and moves the focus into it. */
export function openEditor(host: HTMLElement, options: EditorOptions): CodeEditor {
  // Inside a shadow root, CodeMirror uses constructed style sheets, which the policy of the page allows.
  const root = host.attachShadow({ mode: 'open' })
  // The keys of the page do not apply here.
  host.addEventListener('keydown', (event) => event.stopPropagation())
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: options.text, extensions: extensions(options) }),
  })
  view.focus()
  return {
    goTo(line, column) {
      view.dispatch({ selection: { anchor: placeIn(view.state.doc, line, column) }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function extensions({ label, dark, schema, validate, changed }: EditorOptions) {
  return [
    lineNumbers(),
    history(),
    indentUnit.of('  '),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    yaml(),
    syntaxHighlighting(colours),
    theme,
    EditorView.darkTheme.of(dark),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    autocompletion({ override: [completing(schema)], icons: false }),
    lintGutter(),
    linter(async ({ state: { doc } }) => diagnostics(doc, await validate(doc.toString())), { delay: 400 }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString())
    }),
    EditorView.domEventHandlers({ beforeinput: replaceLines }),
    // Tab stays with the browser: it leaves the editor.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
  ]
}

/**
 * Types over a selection of several lines. Chromium would make elements with styles, which the policy of the
 * page blocks with an error in the console.
 */
function replaceLines({ inputType, data, isComposing }: InputEvent, view: EditorView): boolean {
  const { main } = view.state.selection
  const isOneLine = view.state.doc.lineAt(main.from).to >= main.to
  if (inputType !== 'insertText' || data === null || isComposing || isOneLine) return false
  view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
  return true
}

function completing(schema: EditorOptions['schema']) {
  let reading: Promise<unknown> | undefined
  return async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const text = state.doc.toString()
    if (!explicit && !/[\w.$*/-]$|[:{[,-] $/.test(text.slice(0, pos))) return null
    reading ??= schema()
    const { from, suggestions } = suggestionsAt(text, pos, (await reading) as Schema)
    return {
      from,
      options: suggestions.map(({ label, kind, description, text: apply }) => ({
        ...{ label, apply, type: kind === 'key' ? 'property' : 'enum' },
        ...(description === undefined ? {} : { info: description.replaceAll('`', '') }),
      })),
      validFor: /^[\w.$*/-]*$/,
    }
  }
}

function diagnostics(doc: Text, findings: readonly Finding[]): Diagnostic[] {
  return findings.map(({ severity, message, line = 1, column = 1 }) => {
    const from = placeIn(doc, line, column)
    const rest = doc.sliceString(from, doc.lineAt(from).to)
    const to = from + (/^[\w.$-]+|^\S+/.exec(rest)?.[0].length ?? 0)
    return { from, to, severity, message }
  })
}

function placeIn(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(from + column - 1, to)
}

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--soft)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--soft)' },
  { tag: [tags.labelName, tags.typeName, tags.keyword, tags.meta], color: 'var(--warn)' },
])

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '13px/1.55 var(--mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-gutters': {
    color: 'var(--soft)',
    backgroundColor: 'var(--ground)',
    borderRight: '1px solid var(--line)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    maxWidth: 'min(460px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: '13px/1.5 var(--mono)', maxHeight: '240px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--ink)',
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionInfo, .cm-diagnostic': { font: '13px/1.45 system-ui, sans-serif', padding: '6px 10px' },
})
