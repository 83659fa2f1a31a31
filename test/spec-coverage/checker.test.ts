/** The checker of docs/spec-coverage.md can fail: small pages and sources with one thing wrong each. */
import { describe, expect, it } from 'vitest'
import { judge } from './_judge.ts'
import { readReference } from './_page.ts'
import { readTests } from './_tests.ts'

const source = `
import { describe, it } from 'vitest'
import { describeIntegrations } from '../_setup.ts'
describe('refuses', () => {
  it('a wrong number', () => {})
  it('both', async () => {})
})
describeIntegrations('answers', (integration) => {
  it('both', () => {})
  it(\`a page of \${integration.name} in full\`, () => {})
})
it.each([[1, 'one'], [-2, 'minus two'], [{ a: 1 }, 'an object']])('takes %i as %s', () => {})
it.each([['stop', 4]] as const)('%s', () => {})
it.each([{ name: 'left', at: { x: 3 } }])('draws $name at $at.x', () => {})
const cases: readonly [string][] = [['declared first'], ...others]
it.each(cases)('%s', () => {})
it.each(rows)('draws %s by heart', () => {})
it.each(rows)('%s', () => {})
it('100% of it', () => {})
it.skip('skipped', () => {})
it.todo('planned')
it('without a body')
it.skipIf(missing)('skipped without a browser', () => {})
it.runIf(present).each([[1]])('run %i with a browser', () => {})
it('with options', { skip: true }, () => {})
it('with harmless options', { timeout: 5 }, () => {})
it.fails('known to fail', () => {})
it('leaves by itself', (context) => { if (late) context.skip() })
describe.skip('put aside', () => { describe('inner', () => { it('buried', () => {}) }) })
describe.skipIf(missing).each([[2, 'msw']])('in a browser, %i', () => { it('conditional by its block', () => {}) })
if (present) it('conditional by an if', () => {})
`

const facts = {
  source: (path: string) => (path === 'test/a.test.ts' ? source : undefined),
  settings: new Set(['chat.tokenEvery']),
  sections: ['4.2', 'W'],
}

const statements = (...rows: string[]): string =>
  `## 4.2 Chat\n\n| # | Statement | Proof |\n| --- | --- | --- |\n${rows.join('\n')}\n\n## Wire formats\n`
const number = '`test/a.test.ts` › "a wrong number"'
const proved = (proof: string): string => statements(`| 4.2-1 | Something. | ${proof} |`)
const open = (setting: string, proof = number): string =>
  `${statements(`| 4.2-1 | Something. | ${number} |`).replace('\n\n## Wire', `\n\n| Open point | Decision | Why | Setting | Proof |\n| --- | --- | --- | --- | --- |\n| x | y | z | ${setting} | ${proof} |\n\n## Wire`)}`

describe('a page holds', () => {
  it.each([
    ['a title', number],
    ['a block and a title', '`test/a.test.ts` › "answers" › "both"'],
    ['two references', `${number}<br>\`test/a.test.ts\` › "100% of it"`],
    ['both sides of a limit', `at: ${number}<br>beyond: \`test/a.test.ts\` › "100% of it"`],
    ['a case of a table', '`test/a.test.ts` › "takes -2 as minus two"'],
    ['a title with placeholders as written', '`test/a.test.ts` › "takes %i as %s"'],
    ['a case that is nothing but its name', '`test/a.test.ts` › "stop"'],
    ['a case named by a property', '`test/a.test.ts` › "draws left at 3"'],
    ['a case of a table that is declared before', '`test/a.test.ts` › "declared first"'],
    ['a case of a table that is computed', '`test/a.test.ts` › "draws a cat by heart"'],
    ['a template', '`test/a.test.ts` › "a page of fetch in full"'],
    ['a test with options', '`test/a.test.ts` › "with harmless options"'],
  ])('with %s', (_what, proof) => {
    expect(judge(proved(proof), facts)).toEqual([])
  })

  it('with a setting, or none', () => {
    expect(judge(open('`chat.tokenEvery`'), facts)).toEqual([])
    expect(judge(open('none'), facts)).toEqual([])
  })

  it('with ids of the wire formats after their section', () => {
    expect(
      judge(
        `${proved(number)}\n| # | Statement | Proof |\n| --- | --- | --- |\n| W1.3-2 | Something. | \`test/a.test.ts\` › "a wrong number" |`,
        facts,
      ),
    ).toEqual([])
  })

  it('with a bar inside a title', () => {
    const barred = { ...facts, source: () => "it('a | b', () => {})" }
    expect(judge(proved('`test/a.test.ts` › "a \\| b"'), barred)).toEqual([])
  })
})

describe('a page fails', () => {
  it.each([
    ['a test that does not exist', 'a right number', 'test/a.test.ts has no test "a right number"'],
    ['half a title', 'a wrong', 'has no test "a wrong"'],
    ['a case that is not in its table', 'takes 3 as three', 'has no test "takes 3 as three"'],
    ['a case that only a hole would fit', 'anything', 'has no test "anything"'],
    ['the title of a block', 'refuses', 'has no test "refuses"'],
    [
      'a title that two tests have',
      'both',
      'has 2 tests "both" → put the title of the block before it: "refuses" › "both"',
    ],
    ['a test of another block', 'answers" › "a wrong number', 'has no test "answers" › "a wrong number"'],
    ['a skipped test', 'skipped', 'is skipped, or may be'],
    ['a todo', 'planned', 'is skipped, or may be'],
    ['a test without a body', 'without a body', 'is skipped, or may be'],
    ['a test that is skipped on a condition', 'skipped without a browser', 'is skipped, or may be'],
    ['a case that runs on a condition', 'run 1 with a browser', 'is skipped, or may be'],
    ['a test skipped by its options', 'with options', 'is skipped, or may be'],
    ['a test that is to fail', 'known to fail', 'is skipped, or may be'],
    ['a test that skips itself', 'leaves by itself', 'is skipped, or may be'],
    ['a test in a skipped block', 'buried', 'is skipped, or may be'],
    ['a test in a block that runs on a condition', 'conditional by its block', 'is skipped, or may be'],
    ['a test under an if', 'conditional by an if', 'is skipped, or may be'],
  ])('that names %s', (_what, title, finding) => {
    const [first, ...more] = judge(proved(`\`test/a.test.ts\` › "${title}"`), facts)
    expect(first).toContain('line 5 (4.2-1): ')
    expect(first).toContain(finding)
    expect(more).toEqual([])
  })

  it.each([
    [
      'that names a file that does not exist',
      proved('`test/b.test.ts` › "a wrong number"'),
      'line 5 (4.2-1): test/b.test.ts does not exist, or `npm test` does not run it',
    ],
    [
      'without a proof',
      proved(''),
      'line 5 (4.2-1): no proof → name the test that fails when this is not so',
    ],
    [
      'with a limit of one side',
      proved(`at: ${number}`),
      'line 5 (4.2-1): a limit with `at:` and no `beyond:` → name the test on either side',
    ],
    [
      'with a limit of the other side',
      proved(`beyond: ${number}`),
      'line 5 (4.2-1): a limit with `beyond:` and no `at:` → name the test on either side',
    ],
    [
      'with a limit whose sides are one test',
      proved(`at: ${number}<br>beyond: ${number}`),
      'line 5 (4.2-1): "a wrong number" is named twice',
    ],
    [
      'with something else for a proof',
      proved('see the tests'),
      'line 5: no reference: see the tests → `test/….test.ts` › "title of the test"',
    ],
    [
      'with an id twice',
      statements(`| 4.2-1 | A. | ${number} |`, `| 4.2-1 | B. | ${number} |`),
      'the id 4.2-1 stands on more than one row',
    ],
    [
      'with an id of another section',
      statements(`| 4.3-1 | A. | ${number} |`),
      'line 5 (4.3-1): the id "4.3-1" does not fit its section → 4.2-<number>',
    ],
    [
      'with an empty statement',
      statements(`| 4.2-1 | | ${number} |`),
      'line 5: an empty cell → every row says what it states, and its proof',
    ],
    [
      'with a bar too many',
      statements(`| 4.2-1 | a | b | ${number} |`),
      'line 5: 4 cells instead of 3 → write a bar inside a cell as \\|',
    ],
    [
      'with another table',
      `${statements()}\n| A | B |\n| --- | --- |`,
      'line 9: no table of this page: "| A | B |" → # | Statement | Proof, or Open point | Decision | Why | Setting | Proof',
    ],
    ['without one of its sections', '## 4.2 Chat\n', 'the sections are 4.2 → 4.2, W'],
    [
      'with a section of another name',
      `${statements()}\n## More\n`,
      'line 9: a section is headed "## <number> <title>" or "## Wire formats", not "## More"',
    ],
    [
      'with a setting that does not exist',
      open('`chat.tokenNever`'),
      'line 9: there is no setting `chat.tokenNever`',
    ],
    ['with words for a setting', open('some'), 'line 9: the setting is "some" → `its.name`, or none'],
    [
      'with an open point without a proof',
      open('none', ''),
      'line 9: no proof → name the test that fails when this is not so',
    ],
  ])('%s', (_what, page, finding) => {
    expect(judge(page, facts)).toContain(finding)
  })
})

describe('reading', () => {
  it('a reference', () => {
    expect(readReference('beyond: `test/x/a.test.ts` › "block" › "says "no""')).toEqual({
      file: 'test/x/a.test.ts',
      describes: ['block'],
      title: 'says "no"',
      side: 'beyond',
    })
    expect(readReference('test/a.test.ts › "title"')).toBeUndefined()
    expect(readReference('`src/a.ts` › "title"')).toBeUndefined()
  })

  it('tests inside functions that other files call', () => {
    expect(readTests("export function shared(send: Send) { it('a shared one', () => {}) }")).toEqual([
      { written: 'a shared one', titles: ['a shared one'], describes: [], skipped: false },
    ])
  })
})
