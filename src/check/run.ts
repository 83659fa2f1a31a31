/** What is known in the middle of a check: models, replies that later probes need, keys that were refused. */
import type { Shown } from './findings.ts'
import { ProbeJudge } from './judge-probe.ts'
import type { Models } from './models.ts'
import type { CheckOptions, Fetch, Time } from './options.ts'
import { createResolver, type Resolver, type Usable } from './placeholders.ts'
import type { ProbeReply } from './send-probe.ts'
import { type PlannedProbe, referencesIn } from './suite.ts'

/** The last reply to a probe. */
export interface Kept {
  readonly planned: PlannedProbe
  readonly reply: ProbeReply
  readonly isUsable: boolean
}

/** The state of a run. */
export class Run {
  readonly options: CheckOptions
  readonly fetch: Fetch
  readonly time: Time
  readonly models: Models
  readonly judge = new ProbeJudge()
  /** The last replies that can be used, or why there is none. */
  readonly #replies = new Map<string, Kept>()
  readonly #reasons = new Map<string, string>()
  /** JSON pointers of what replies to a probe have wrong. */
  readonly #wrong = new Map<string, ReadonlySet<string>>()
  /** Groups that refuse the key, with what they said. */
  readonly refusedKeys = new Map<string, string>()
  hasBeenAnswered = false
  hasUsedKey = false

  constructor(options: CheckOptions, fetch: Fetch, time: Time, models: Models) {
    this.options = options
    this.fetch = fetch
    this.time = time
    this.models = models
  }

  resolverFor({ models }: PlannedProbe): Resolver {
    return createResolver(
      (name) => this.usable(name),
      () => this.models.of(models).id,
    )
  }

  usable(name: string): Usable {
    const found = this.#replies.get(name)
    if (found?.isUsable === true) return { json: found.reply.json }
    return this.#reasons.get(name) ?? `it needs ${name}, which was not answered`
  }

  replyTo(name: string): Kept | undefined {
    return this.#replies.get(name)
  }

  keep(planned: PlannedProbe, reply: ProbeReply, isUsable: boolean, reason?: string): void {
    const { name } = planned.probe
    this.#replies.set(name, { planned, reply, isUsable })
    if (reason !== undefined) this.#reasons.set(name, reason)
  }

  /** Remembers what replies to a probe have wrong. */
  mark({ probe }: PlannedProbe, deviations: readonly Shown[]): void {
    const counting = deviations.filter(({ severity }) => severity !== 'addition')
    this.#wrong.set(probe.name, new Set(counting.map(({ pointer }) => pointer)))
  }

  /** An earlier probe that had wrong what this one builds on. */
  brokenGround({ probe }: PlannedProbe): string | undefined {
    return referencesIn(probe.request)
      .flatMap(({ $from, pointer }) => [$from].flat().map((name) => ({ name, pointer })))
      .find(({ name, pointer }) => {
        const wrong = this.#wrong.get(name)
        const polled = this.#replies.get(name)?.planned.probe.polling?.pointer
        return wrong?.has(pointer) === true || (polled !== undefined && wrong?.has(polled) === true)
      })?.name
  }
}
