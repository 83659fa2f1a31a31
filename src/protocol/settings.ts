/**
 * Everything about the simulated gateway that a team's real one may do differently. One zod schema validates
 * it, gives the defaults and exports as JSON Schema; knows nothing of files.
 */
import * as z from 'zod'
import { parseDuration } from '../engine/duration.ts'

/** A duration as people write it (`5s`, `1h30m`) or milliseconds; becomes milliseconds. */
const duration = (fallback: string, description: string) =>
  z
    .union([z.string(), z.number()])
    .default(fallback)
    .transform((written, context) => {
      const ms = parseDuration(written)
      if (ms !== undefined) return ms
      context.addIssue({
        code: 'custom',
        message: `expected a duration such as 5s, 350ms or 1h30m, got ${JSON.stringify(written)}`,
        input: written,
      })
      return z.NEVER
    })
    .describe(description)

const count = (fallback: number, description: string, min = 0) =>
  z.number().int().min(min).default(fallback).describe(description)

const models = z.array(z.string().min(1)).optional()

export const settingsSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where editors find the JSON Schema of this file.'),
    seed: z
      .string()
      .min(1)
      .default('gateway-sim')
      .describe('The root of all chance: ids, texts, pictures. Same seed, same requests, same bytes.'),
    clock: z
      .strictObject({
        mode: z
          .enum(['real', 'manual', 'auto'])
          .optional()
          .describe(
            'Who moves time: the wall clock (real), you (manual), or nobody, with each poll letting its own resource move on (auto). `serve` defaults to real, the library to auto.',
          ),
        start: z.iso
          .datetime({ offset: true, error: 'expected an ISO 8601 instant such as 2026-01-01T00:00:00Z' })
          .optional()
          .describe(
            'Virtual time at the start, ISO 8601. A constant (2026-01-01) in manual and auto unless given, the present in real.',
          ),
        speed: z
          .number()
          .positive()
          .max(1_000_000)
          .default(1)
          .describe('How much faster than the wall clock `real` runs.'),
      })
      .prefault({}),
    keys: z
      .record(
        z.string().min(1),
        z.strictObject({ models: models.describe('The model ids this key may use; all when left out.') }),
      )
      .optional()
      .describe('The API keys that exist. When left out, every non-empty key works.'),
    models: z
      .strictObject({
        chat: models.describe('Model ids that chat knows; any when left out.'),
        messages: models.describe(
          'Model ids that messages knows; any when left out. The contract allows five and omits them; claude-3-5-sonnet-20241022, claude-3-5-haiku-20241022, claude-3-opus-20240229, claude-3-sonnet-20240229 and claude-3-haiku-20240307 fit it.',
        ),
        images: models.describe('Model ids that image generations and edits know; any when left out.'),
        imageJobs: models.describe('Model ids that image jobs know; any when left out.'),
        videos: models.describe('Model ids that videos know; any when left out.'),
        operations: models.describe('Model ids that long-running video operations know; any when left out.'),
        systemone: models.describe('Model ids that decision evaluation knows; any when left out.'),
      })
      .prefault({}),
    limits: z
      .strictObject({
        activeImageJobs: count(
          10,
          'How many image jobs of one key may be active at once (429, code 2007, beyond).',
          1,
        ),
        requestsPerMinute: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe(
            'Requests per key and virtual minute; none when left out. The rate-limit headers count down only when it is set.',
          ),
        jsonBytes: count(64 * 1024 * 1024, 'The largest JSON body in bytes (413 beyond).', 1024),
        formBytes: count(256 * 1024 * 1024, 'The largest form body in bytes (413 beyond).', 1024),
        fileBytes: count(
          128 * 1024 * 1024,
          'The largest file that can be uploaded, in bytes (413 beyond).',
          1,
        ),
        chatImageBytes: count(
          8 * 1024 * 1024,
          'Image inputs of chat above this many bytes are discarded (contract 4.2).',
          1,
        ),
      })
      .prefault({}),
    chat: z
      .strictObject({
        unknownParameters: z
          .enum(['tolerate', 'refuse'])
          .default('tolerate')
          .describe('What becomes of request fields that the contract does not name.'),
        reasoningModels: z
          .array(z.string())
          .default(['o1*', 'o3*', 'o4*', 'gpt-5*'])
          .describe(
            'Model ids (`*` matches any ending) that think before they answer: they refuse `max_tokens` and count reasoning tokens.',
          ),
        unstreamedModels: z
          .array(z.string())
          .default([])
          .describe(
            'Model ids (`*` matches any ending) that refuse `stream: true` (400), as some reasoning models do (contract 4.2).',
          ),
        firstTokenAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
        tokenEvery: duration('15ms', 'Virtual time between the events of a stream.'),
      })
      .prefault({}),
    messages: z
      .strictObject({
        maxTokens: count(
          8192,
          'The largest `max_tokens` of a request (400 beyond; contract 4.3). Clients of newer models ask for 64000 by default.',
          1,
        ),
        unknownParameters: z
          .enum(['tolerate', 'refuse'])
          .default('tolerate')
          .describe('What becomes of request fields that the simulator does not know.'),
        firstTokenAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
        tokenEvery: duration('15ms', 'Virtual time before each delta of a stream.'),
      })
      .prefault({}),
    images: z
      .strictObject({
        models: z
          .strictObject({
            a: z
              .array(z.string().min(1))
              .min(1)
              .default(['gpt-image-*', 'chatgpt-image*'])
              .describe(
                'Model ids (`*` matches any ending) of the newest kind, A in the contract. An id of no kind follows the rules of A too.',
              ),
            b: z
              .array(z.string().min(1))
              .min(1)
              .default(['dall-e-2'])
              .describe('Model ids (`*` matches any ending) of kind B.'),
            c: z
              .array(z.string().min(1))
              .min(1)
              .default(['dall-e-3'])
              .describe('Model ids (`*` matches any ending) of kind C.'),
          })
          .prefault({}),
        defaults: z
          .strictObject({
            a: z
              .string()
              .min(1)
              .default('gpt-image-1')
              .describe('The model of a request that names none and uses what only A has.'),
            b: z
              .string()
              .min(1)
              .default('dall-e-2')
              .describe('The model of any other request that names none.'),
          })
          .prefault({}),
        withoutInputFidelity: z
          .array(z.string().min(1))
          .default(['gpt-image-1-mini*'])
          .describe('Model ids (`*` matches any ending) of kind A that refuse `input_fidelity`.'),
        transparencyWithoutMask: z
          .enum(['b', 'all', 'none'])
          .default('b')
          .describe(
            'Of which models an edit without a mask needs a picture with transparent pixels (400 otherwise): of B, of all, of none.',
          ),
        unknownParameters: z
          .enum(['tolerate', 'refuse'])
          .default('tolerate')
          .describe('What becomes of request fields that the contract does not name.'),
        firstPartialAfter: duration('2s', 'Virtual time before the first event of a stream.'),
        partialEvery: duration('2s', 'Virtual time before each further event of a stream.'),
        urlExpiresAfter: duration('60m', 'How long the address of a picture can be read.'),
      })
      .prefault({}),
    imageJobs: z
      .strictObject({
        submitted: z
          .enum(['running', 'terminal'])
          .default('running')
          .describe(
            'The state a submission answers with: status 1, or the end at once (contract 4.1 allows both).',
          ),
        duration: duration('40s', 'Virtual time from submission to result.'),
        operations: z
          .record(
            z.string(),
            z.array(z.enum(['variation', 'pan', 'retexture', 'uploadPaint', 'removeBackground'])),
          )
          .default({})
          .describe('Per model id (`*` matches any ending): which edits it supports; all when not named.'),
      })
      .prefault({}),
    videos: z
      .strictObject({
        duration: duration('60s', 'Virtual time from submission to the finished video.'),
        expiresAfter: duration('24h', 'How long a finished video can be downloaded.'),
        minBytes: z
          .int()
          .min(0)
          .max(256 * 1024 * 1024)
          .default(0)
          .describe(
            'How many bytes the file of a video has at least: what is missing is padding, which players pass over. For clients that show progress, resume, or read slowly; a film of ours has some tens of kilobytes.',
          ),
      })
      .prefault({}),
    systemone: z
      .strictObject({
        maxTokens: count(
          64 * 1024,
          'Most tokens of the state and all questions together (400 beyond; contract section 8: 64K).',
          1,
        ),
        maxQuestionTokens: count(
          32 * 1024,
          'Most tokens of the state and the longest question together (400 beyond; contract section 8: 32K).',
          1,
        ),
        decimals: z
          .number()
          .int()
          .min(0)
          .max(10)
          .default(2)
          .describe('To how many decimals probabilities, confidences and scores are rounded.'),
        upstreamModels: z
          .record(z.string().min(1), z.string().min(1))
          .default({})
          .describe(
            'Per model id (`*` matches any ending): the upstream model or version that replies name; the model id itself when not named.',
          ),
        upstreamFields: z
          .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
          .default({})
          .describe('Extra fields of the upstream that every reply passes through.'),
        upstream: z
          .strictObject({
            status: z
              .number()
              .int()
              .min(400)
              .max(599)
              .optional()
              .describe(
                'The status with which the upstream refuses every evaluation: 422 becomes 400, 429 stays, 5xx becomes 503; it does not refuse when left out.',
              ),
            usage: z
              .enum(['missing', 'invalid'])
              .optional()
              .describe(
                'What is wrong with the usage that the upstream reports (becomes 502); nothing when left out.',
              ),
          })
          .prefault({}),
        price: z
          .strictObject({
            currency: z.string().min(1).default('USD').describe('The currency of amounts.'),
            input: z.number().min(0).default(1).describe('Per million input tokens.'),
            output: z.number().min(0).default(0).describe('Per million output tokens.'),
          })
          .prefault({}),
        discount: z
          .number()
          .min(0)
          .max(1)
          .default(0)
          .describe('The share (0..1) that is taken off the price.'),
      })
      .prefault({}),
    operations: z
      .strictObject({
        duration: duration('60s', 'Virtual time from submission to the finished operation.'),
        place: z
          .strictObject({
            project: z
              .string()
              .regex(/^[^/]+$/)
              .default('gateway-sim')
              .describe('The project in operation names.'),
            location: z
              .string()
              .regex(/^[^/]+$/)
              .default('us-central1')
              .describe('The location in operation names.'),
            publisher: z
              .string()
              .regex(/^[^/]+$/)
              .default('google')
              .describe('The publisher in operation names.'),
          })
          .prefault({}),
      })
      .prefault({}),
    files: z
      .strictObject({
        providers: z
          .record(z.string().min(1), z.string().regex(/^[a-z]{1,16}$/, 'expected 1 to 16 small letters'))
          .refine((providers) => Object.keys(providers).length > 0, 'expected at least one provider')
          .default({ COS: 'cos', OSS: 'oss' })
          .describe(
            'The values of `storage_provider`, each with the scheme that `path` then begins with (contract 2.5). The first is used when a request names none. `cos` signs like COS (`q-sign-…`), any other like OSS (`Expires`, `Signature`).',
          ),
        region: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
          .default('local')
          .describe('The region in the addresses of files when a request names none.'),
        bucket: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected up to 63 small letters, digits and dashes')
          .optional()
          .describe(
            'A bucket that stands in `path` before the path of the file (`cos://bucket/a.png`); none when left out (`cos://a.png`).',
          ),
        method: z
          .enum(['PUT', 'POST'])
          .default('PUT')
          .describe('The method that an upload URL is signed for (contract 4.8 allows both).'),
        uploadStatus: z
          .literal([200, 201])
          .default(200)
          .describe('The status of a successful upload (contract 4.8 allows both).'),
        expiresAfter: duration('15m', 'How long an upload URL is valid; rounded up to whole seconds.'),
        pathBytes: count(
          850,
          'The longest path of a file in bytes of UTF-8 (400 beyond); COS takes 850, OSS 1023.',
          1,
        ),
        credentials: z
          .enum(['refuse', 'ignore'])
          .default('refuse')
          .describe('What becomes of an upload that carries an API key (contract 5: it must carry none).'),
      })
      .prefault({}),
    clientReport: z
      .strictObject({
        pollEvery: duration(
          '1s',
          'How far apart polls of one job should be; clients that poll faster again and again are told so (docs/client-report.md).',
        ),
        off: z
          .array(z.string())
          .default([])
          .describe('Findings about clients that are not made, by their words (docs/client-report.md).'),
      })
      .prefault({}),
    memory: z
      .strictObject({
        sessions: count(1000, 'How many sessions are kept; the one used longest ago goes first.', 1),
        resources: count(
          10_000,
          'How many jobs, videos and replies with picture addresses a session keeps; the oldest goes first, of those that have ended when one of the hundred oldest of its kind has.',
          1,
        ),
        requests: count(
          100_000,
          'How many different requests a session remembers at most for counting repeats; the last half as many always are.',
          1,
        ),
        files: count(
          10_000,
          'How many uploaded files a session keeps, and as many pictures that results are made from; the oldest goes first.',
          1,
        ),
        fileBytes: count(
          256 * 1024 * 1024,
          'How many bytes the uploaded files of a session hold together, and as many the pictures that results are made from; the oldest go first.',
          1,
        ),
        mediaBytes: count(
          64 * 1024 * 1024,
          'How many bytes of rendered media are kept for all sessions, so that what is read again need not be rendered again; what was read longest ago goes first.',
        ),
        journalEntries: count(10_000, 'How many calls the journal of a session keeps.', 1),
        journalBodies: z
          .boolean()
          .default(true)
          .describe(
            'Whether the journal keeps the text of requests and replies; without, what looks into bodies (verification, client reports) finds none.',
          ),
        journalBytes: count(
          32 * 1024 * 1024,
          'How much request and reply text the journal of a session keeps.',
          1024,
        ),
        journalBytesInAll: count(
          256 * 1024 * 1024,
          'How much of it the journals of all sessions keep together; what was called longest ago goes first, in whatever session it was.',
          1024,
        ),
      })
      .prefault({}),
    strict: z
      .union([
        z.boolean(),
        z.strictObject({
          except: z
            .array(z.string().min(1))
            .describe(
              'Operations that need no rule: ids (`files.createUploadUrl`) or groups (`systemone.*`).',
            ),
        }),
      ])
      .default(false)
      .describe(
        'Whether a call that makes something and that no rule and no reserved value speaks of is refused (422), with the rules that came nearest. Reading and deleting what is there needs no rule.',
      ),
    explain: z
      .boolean()
      .default(false)
      .describe(
        'Whether replies say in `x-sim-explain` why they are as they are; with `strict` they do, and to a request with `x-sim-explain: 1`.',
      ),
    sessions: z
      .strictObject({
        unknown: z
          .enum(['create', 'refuse'])
          .optional()
          .describe(
            'What becomes of a call that names a session which nobody has created: its first call makes it, or it is refused (400). A session that was created and is no more is refused in any case. `create` when left out.',
          ),
      })
      .prefault({}),
    control: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe(
            "Whether the simulator's own API answers over HTTP and the other doors; the library needs none.",
          ),
        prefix: z
          .string()
          .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'expected a path such as /__sim')
          .refine((path) => !/^\/s(?:\/|$)/.test(path), 'expected another path than /s, which names sessions')
          .default('/__sim')
          .describe('Where it stands.'),
        token: z
          .string()
          .min(8)
          .optional()
          .describe(
            'What its calls must carry (`authorization: Bearer <token>` or `x-sim-token`), health and ready aside. None when left out, unless a server listens beyond loopback, which then makes one.',
          ),
      })
      .prefault({}),
    cors: z
      .boolean()
      .default(true)
      .describe('Whether browsers of any origin may call (Access-Control headers and preflight answers).'),
    publicUrl: z
      .url({ protocol: /^https?$/, error: 'expected an address such as https://gateway.example' })
      .optional()
      .describe('The address written into links; the address of the call when left out.'),
  })
  .describe('Settings of gateway-sim')

/**
 * Settings with every default filled in; durations in milliseconds. As they are written: settings-input.ts.
 */
export type Settings = z.output<typeof settingsSchema>

/** Whether an id is meant by a pattern: equal, or equal up to a final `*`. */
export function matchesModel(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id
}
