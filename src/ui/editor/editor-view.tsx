/** Edits a scenario: its text with completion and errors, tried in a new session or used in this one. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ScenarioFile, SessionState } from '../../generated/control-types.ts'
import { CopyButton } from '../copy-button.tsx'
import { download } from '../download.ts'
import { drafts } from '../drafts.ts'
import { Prose } from '../prose.tsx'
import { go, linkTo } from '../route.ts'
import { SessionAccess } from '../session-access.tsx'
import { acting, notice } from '../state.ts'
import type { CodeEditor, Finding } from './code-editor.ts'
import * as files from './scenario-file.ts'

/** `name` is the scenario; a new one without. */
export function EditorView({ name }: { readonly name: string | undefined }): JSX.Element {
  // The session whose file it is: trying it selects another.
  const [session] = useState(acting.peek())
  const [file, setFile] = useState<ScenarioFile>()
  useEffect(() => {
    if (name !== undefined) files.readFile(session, name).then(setFile, tell)
  }, [])
  if (name !== undefined && file === undefined) return <p class="empty">Loading the scenario…</p>
  if (file?.text === null)
    return <p class="empty">{file.name} contains functions, so the page cannot show it as a text.</p>
  return <Editor session={session} file={file} />
}

const focus = (element: HTMLElement | null): void => element?.focus()

const tell = (error: Error): void => {
  notice.value = error.message
}

interface EditorProps {
  readonly session: string
  readonly file: ScenarioFile | undefined
}

function Editor({ session, file }: EditorProps): JSX.Element {
  const key = files.draftKey(session, file?.name)
  const [text, setText] = useState(drafts.get(key) ?? file?.text ?? files.example)
  const [findings, setFindings] = useState<readonly Finding[]>([])
  const [tried, setTried] = useState<SessionState>()
  /** What the session uses. */
  const [used] = useState(() => signal(file?.text))
  const editor = useRef<CodeEditor>()
  const change = (next: string): void => {
    if (next === used.peek()) drafts.delete(key)
    else drafts.set(key, next)
    setText(next)
  }
  const title = file === undefined ? 'New scenario' : `Edit ${file.name}`
  const tryIt = (): void => {
    files.tryScenario({ session, file, text }).then((made) => {
      setTried(made)
      go(['rules', ...(file === undefined ? ['new'] : ['edit', file.name])], { session: made.name })
    }, tell)
  }
  return (
    <div class="sheet editor">
      <p class="hint">
        <a href={linkTo(['rules'])}>Rules</a>
      </p>
      <h1>{title}</h1>
      {file === undefined || text === used.value ? null : <p class="unused">Edited, not applied</p>}
      <p class="hint">
        <kbd>Ctrl</kbd> <kbd>Space</kbd> completes. <kbd>Ctrl</kbd> <kbd>]</kbd> indents. <kbd>Tab</kbd>{' '}
        leaves the editor.
      </p>
      <Code text={text} label={title} opened={editor} onChange={change} onFindings={setFindings} />
      <Findings
        findings={findings}
        onPick={({ line = 1, column = 1 }) => editor.current?.goTo(line, column)}
      />
      <div class="copies">
        <button type="button" onClick={tryIt}>
          Try it in a new session
        </button>
        <CopyButton label="Copy" name="Copy the scenario" text={() => text} />
        <button type="button" onClick={() => download(text, fileName(file), 'application/yaml')}>
          Download
        </button>
        <UseButton
          edited={{ session, file, text }}
          onUse={() => {
            drafts.delete(key)
            used.value = text
          }}
        />
      </div>
      {tried === undefined ? null : (
        <SessionAccess session={tried} does="uses this scenario and is selected on this page" />
      )}
    </div>
  )
}

/** The last part of a path; a name that is no path gets an extension. */
function fileName(file: ScenarioFile | undefined): string {
  const last = file?.name.split(/[\\/]/).at(-1) ?? 'scenario'
  return /\.(?:ya?ml|json)$/.test(last) ? last : `${last}.yaml`
}

interface CodeProps {
  readonly text: string
  readonly label: string
  readonly opened: { current: CodeEditor | undefined }
  onChange(text: string): void
  onFindings(findings: readonly Finding[]): void
}

/** The element of the editor, whose code loads now. */
function Code({ text, label, opened, onChange, onFindings }: CodeProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isGone = false
    const open = async (): Promise<void> => {
      const { openEditor } = await import('./code-editor.ts')
      if (isGone || host.current === null) return
      opened.current = openEditor(host.current, {
        ...{ text, label, changed: onChange, schema: files.readSchema },
        dark: matchMedia('(prefers-color-scheme: dark)').matches,
        async validate(written) {
          const found = await files.findingsOf(written).catch((error: Error) => {
            tell(error)
            return []
          })
          if (!isGone) onFindings(found)
          return found
        },
      })
    }
    open().catch(() => {
      notice.value = 'The editor could not be loaded. Reload the page.'
    })
    return () => {
      isGone = true
      opened.current?.destroy()
    }
  }, [])
  return <div class="code-host" ref={host} />
}

function Findings({
  findings,
  onPick,
}: {
  readonly findings: readonly Finding[]
  onPick(finding: Finding): void
}): JSX.Element {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return (
    <div class="scenario-findings">
      <p role="status">
        {errors > 0
          ? `${errors} ${errors === 1 ? 'error' : 'errors'}`
          : findings.length > 0
            ? 'No errors. Warnings:'
            : 'No errors.'}
      </p>
      {findings.length === 0 ? null : (
        <ul>
          {findings.map((finding) => (
            <li key={`${finding.line}:${finding.column} ${finding.message}`} class={finding.severity}>
              <button type="button" onClick={() => onPick(finding)}>
                Line {finding.line ?? 1}
              </button>{' '}
              <Prose text={finding.message} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function UseButton({ edited, onUse }: { readonly edited: files.Edited; onUse(): void }): JSX.Element | null {
  const [asks, setAsks] = useState(false)
  const [done, setDone] = useState('')
  /** Whether the button has replaced the question, which had the focus. */
  const [hasAsked, setHasAsked] = useState(false)
  const ask = (open: boolean): void => {
    setAsks(open)
    setHasAsked(true)
  }
  const { session, file } = edited
  if (file?.of === 'simulator')
    return (
      <span class="hint">
        This scenario belongs to the server: edit the file to change the scenario there.
      </span>
    )
  const use = async (): Promise<void> => {
    ask(false)
    try {
      const { title } = await files.useScenario(edited)
      setDone(`The session ${session} uses "${title}". Its rules are tried first.`)
      onUse()
    } catch (error) {
      tell(error as Error)
    }
  }
  const question =
    file === undefined
      ? `Add this scenario to the session ${session}?`
      : `Replace "${file.title}" in the session ${session}?`
  return asks ? (
    <fieldset class="question" aria-label={question}>
      {question}
      <button type="button" onClick={use} ref={focus}>
        {file === undefined ? 'Add' : 'Replace'}
      </button>
      <button type="button" onClick={() => ask(false)}>
        Cancel
      </button>
    </fieldset>
  ) : (
    <>
      <button type="button" onClick={() => ask(true)} ref={hasAsked ? focus : null}>
        Use in the session {session}
      </button>
      <span role="status">{done}</span>
    </>
  )
}
