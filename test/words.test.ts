/** Words that were given up stay away: one thing has one name in code, messages, help and pages. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { run } from './cli/_io.ts'

/** What is no longer said, and what is said instead. */
const retired: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b[rR]epl(?:y|ies|ied)\b|[a-z]Repl(?:y|ies)(?![a-z])|\brepl(?:y|ies)[A-Z]/, 'response, respond'],
  [/\b[pP]ictures?\b|[a-z]Pictures?(?![a-z])|\bpictures?[A-Z]/, 'image'],
  [/\b[mM]istakes?\b|[a-z]Mistakes?(?![a-z])|\bmistakes?[A-Z]/, 'error, finding'],
  [
    /\b(?:[rR]efus(?:e|es|ed|ing|als?))\b|[a-z]Refus(?:e|ed|al|als)(?![a-z])|\brefus(?:e|ed|al)[A-Z]/,
    'reject',
  ],
  [/\bBytePiece|\bmaxPieces\b|\bdeviat(?:es|ions?)\b/, 'chunk; violation'],
  [/\bWorld\b|\bworlds?\b(?! (?:of|clock))/, 'sandbox (code), session'],
  [/\bcan never be met\b/, 'can never match'],
  [/\bfaults\.(?:arm|list|remove|clear)\b|\barmed faults?\b/, 'overrides.add, overrides'],
  [/\bsim\.state\b/, 'sim.jobs'],
  [/\bsim\.read[A-Z]|\bexplainCall\b/, 'sim.get…, explainRequest'],
  [/\bverify\(\{ calls\b|["']calls["']?: ?(?:["'{])|--policy\b/, 'requests; --accept'],
  [/\bvanishAt\b|\bvanish-at-|\bcut-after-|\bsubmit-(?:failed|unclear)\b/, 'notFoundAt, disconnect-after-…'],
  [/\b(?:firstTokenAfter|tokenEvery|firstPartialAfter|partialEvery)\b/, 'firstEventAfter, eventInterval'],
  [/\bforgotten_total\b|\bdiscardedSessions\b/, 'evicted, deletedSessions'],
  [/'tolerate'|: tolerate\b/, 'allow'],
]

/** Where such a word is right. */
const allowed: readonly RegExp[] = [
  // A model that declines: what chat, messages and scripts call a refusal.
  /\brefusal\b.*\b(?:model|stop_reason|chat|messages|content|text|reasoning|stream|script|finish)\b/i,
  /\b(?:model|stop_reason|chat|messages|content|text|reasoning|stream|script|finish|kind)\b.*\brefusal\b/i,
  /\[?'refusal'|ChatRefusalPart|refusalPart|`refusal`|sim-refusal|chat-refusal/,
  /\b[mM]odel refuses|\bit refuses|\bA refusal throws|\ban object, a refusal\b|- id: refusal\b/,
  /\b(?:said|message|part|words|logprobs|planned|answer|item)\.refusal\b|\brefusal\??: /,
  // The network's own.
  /ECONNREFUSED|connection refused/i,
  // What is drawn on images and written into prompts, and labels of chance: other words would change every byte.
  /fork\('pictures'\)|`picture \$\{|A picture of the following/,
  /\bpictures\.example\b|text: another picture/,
  // What people write in prompts.
  /\b[rR]eply (?:with|only|exactly|just|in|to)\b/,
]

/** Read as English: what is looked for in prompts, and sentences that answers are made of. */
const aboutPrompts = /^src\/(?:behaviours\/(?:prompt|answers|json-schema|decisions)|endpoints\/chat|media)\//
const pages = /^docs\/(?!decisions\/|spec-coverage\.md)/

const files = execFileSync(
  'git',
  ['ls-files', 'src', 'scenarios', 'docs', 'skills', 'templates', 'README.md'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => /\.(?:m?[jt]s|yaml|md|py)$/.test(file) && !aboutPrompts.test(file))
  .filter((file) => !file.startsWith('docs/') || pages.test(file))

function* found(file: string, text: string): Generator<string> {
  for (const [index, line] of text.split('\n').entries())
    for (const [word, instead] of retired) {
      const [said] = word.exec(line) ?? []
      if (said !== undefined && !allowed.some((right) => right.test(line)))
        yield `${file}:${index + 1} says "${said}": write ${instead}`
    }
}

it('no source, scenario or page has a retired word', () => {
  expect(files.flatMap((file) => [...found(file, readFileSync(file, 'utf8'))])).toEqual([])
})

it('no command has one in its help', async () => {
  const help = commands.map(async ({ name }) => {
    return [...found(`gateway-sim ${name} --help`, (await run([name, '--help'])).stdout)]
  })
  expect((await Promise.all(help)).flat()).toEqual([])
})
