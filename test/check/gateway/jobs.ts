/**
 * What lives over time in the gateway of the tests: image jobs, videos, operations. Each poll moves a thing
 * one step.
 */
import { type Answer, type Asked, inRange, isRecord, isText, Rejected, require } from './exchange.ts'

interface Thing {
  readonly id: string
  readonly kind: 'job' | 'video' | 'operation'
  readonly asked: Asked
  readonly key: string | null
  readonly bornAt: number
  readonly fails: boolean
  polls: number
}

type Act = (asked: Asked) => Answer

export interface Things {
  readonly submitJob: Act
  readonly pollJob: Act
  readonly createVideo: Act
  readonly remixVideo: Act
  readonly pollVideo: Act
  readonly videoContent: Act
  readonly submitOperation: Act
  readonly pollOperation: Act
}

/** A prompt with this word makes what it starts fail. */
const failing = /\bfail\b/

export function createThings(options: {
  readonly pollsUntilDone: number
  readonly now: number
  readonly address: () => string
}): Things {
  const { pollsUntilDone, now, address } = options
  const things = new Map<string, Thing>()
  const submit = (kind: Thing['kind'], asked: Asked, id: string): Thing => {
    const { body } = asked
    const fails = failing.test(JSON.stringify([body['prompt'], body['remixPrompt'], body['instances']]))
    const key = asked.headers.get('authorization')
    const thing = { id, kind, asked, key, bornAt: now + things.size, fails, polls: 0 }
    things.set(id, thing)
    return thing
  }
  const find = (kind: Thing['kind'], id: unknown): Thing => {
    const thing = typeof id === 'string' ? things.get(id) : undefined
    if (thing?.kind !== kind) throw new Rejected(404, `there is no ${kind} of this id`)
    return thing
  }
  const done = ({ polls }: Thing): boolean => polls >= pollsUntilDone

  const showJob = (thing: Thing): Answer => {
    const status = !done(thing) ? 1 : thing.fails ? 3 : 2
    const urls = status === 2 ? [address(), address()] : status === 3 ? null : []
    const comment = { 1: 'running', 2: 'done', 3: 'the image could not be painted' }[status] as string
    return { status: 200, json: { id: thing.id, status, urls, comment } }
  }
  const showVideo = (thing: Thing, polled = false): Answer => {
    const [ended, isGood] = [done(thing), !thing.fails]
    const source = thing.asked.params['video_id']
    const json = {
      ...{
        id: thing.id,
        object: 'video',
        created_at: thing.bornAt,
        model: thing.asked.body['model'] ?? 'sora-2',
      },
      status: ended ? (isGood ? 'completed' : 'failed') : thing.polls === 0 ? 'pending' : 'in_progress',
      progress: ended && isGood ? 100 : Math.min(99, Math.round((thing.polls / (pollsUntilDone + 1)) * 100)),
      ...{ seconds: '4', size: '720x1280' },
      // The status query shows when it ended, and when its file will be gone.
      ...(ended && isGood && polled
        ? { completed_at: thing.bornAt + 9, expires_at: thing.bornAt + 3600 }
        : {}),
      ...(source === undefined ? {} : { remixed_from_video_id: source }),
      ...(ended && !isGood ? { error: { code: 'v9', message: 'no frame came out', type: 'x' } } : {}),
    }
    return { status: 200, json }
  }
  const poll = (thing: Thing): Thing => {
    thing.polls += 1
    return thing
  }

  return {
    submitJob(asked) {
      checkJob(asked, (id) => {
        const source = things.get(id)
        require(source?.kind === 'job' && source.key === asked.headers.get('authorization'), 'no job', 2004)
        require(done(source) && !source.fails, 'the source job has no images', 2004)
      })
      return showJob(submit('job', asked, `j-${things.size + 1}`))
    },
    pollJob: (asked) => showJob(poll(find('job', asked.params['job_id']))),
    createVideo(asked) {
      require(isText(asked.body['prompt']), 'prompt is needed')
      require(!String(asked.body['model']).includes('no-such'), 'there is no such model')
      return showVideo(submit('video', asked, `v-${things.size + 1}`))
    },
    remixVideo(asked) {
      const source = find('video', asked.params['video_id'])
      require(isText(asked.body['prompt']), 'prompt is needed')
      require(done(source) && !source.fails, 'the video is not completed')
      return showVideo(submit('video', asked, `v-${things.size + 1}`))
    },
    pollVideo: (asked) => showVideo(poll(find('video', asked.params['video_id'])), true),
    videoContent(asked) {
      const thing = find('video', asked.params['video_id'])
      require(done(thing) && !thing.fails, 'the video is not completed')
      return { status: 200, type: 'video/mp4', bytes: Buffer.from('....ftypisom film') }
    },
    submitOperation(asked) {
      const { model } = asked.params
      require(isText(model) && !model.includes('no-such'), 'there is no such model')
      const [instance] = Array.isArray(asked.body['instances']) ? asked.body['instances'] : []
      require(isRecord(instance) && isText(instance['prompt']), 'instances needs an item with a prompt')
      checkParameters(asked.body['parameters'])
      const id = `7${things.size}`
      const name = `projects/p1/locations/here/publishers/them/models/${model}/operations/${id}`
      submit('operation', asked, name)
      return { status: 200, json: { name } }
    },
    pollOperation(asked) {
      const thing = poll(find('operation', asked.path.slice('/v1beta/'.length)))
      const video = { uri: address(), mimeType: 'video/mp4' }
      const outcome = thing.fails
        ? { error: { code: 13, message: 'no frame came out' } }
        : { response: { generatedVideos: [video] } }
      return { status: 200, json: { name: thing.id, done: done(thing), ...(done(thing) ? outcome : {}) } }
    },
  }
}

function checkParameters(parameters: unknown): void {
  if (parameters === undefined) return
  require(isRecord(parameters), 'parameters is an object')
  require(['undefined', 'string'].includes(typeof parameters['aspectRatio']), 'aspectRatio is a text')
  require(inRange(parameters['durationSeconds'], 1, 60, true), 'durationSeconds is an integer')
  require(inRange(parameters['sampleCount'], 1, 8, true), 'sampleCount is an integer')
}

/** The fields of each operation. */
function checkJob(asked: Asked, checkSource: (id: string) => void): void {
  const { body, operation } = asked
  const must = (holds: boolean, message: string): void => require(holds, message, 2004)
  const text = (name: string): void => must(isText(body[name]), `${name} is needed`)
  must(!('callback' in body), 'callback is not supported')
  if (['pan', 'variation'].includes(operation)) {
    text('jobId')
    must(inRange(body['imageNo'] ?? 9, 0, 3, true), 'imageNo is 0 to 3')
    if (operation === 'pan') {
      must(inRange(body['direction'] ?? 9, 0, 3, true), 'direction is 0 to 3')
      must(inRange(body['scale'] ?? 9, 1.1, 3), 'scale is 1.1 to 3')
    } else must(inRange(body['type'] ?? 9, 0, 1, true), 'type is 0 or 1')
    must(body['remixPrompt'] === undefined || isText(body['remixPrompt']), 'remixPrompt is not empty')
    return checkSource(String(body['jobId']))
  }
  text('model')
  must(!String(body['model']).includes('no-such'), 'there is no such model')
  if (operation === 'diffusion') return text('text')
  text('imgUrl')
  if (operation === 'retexture') text('remixPrompt')
  if (operation !== 'upload-paint') return
  text('remixPrompt')
  const known = ['model', 'imgUrl', 'mask', 'canvas', 'imgPos', 'remixPrompt']
  must(
    Object.keys(body).every((name) => known.includes(name)),
    'unknown property',
  )
  const { canvas, imgPos, mask } = body
  const sized = (value: unknown): value is Record<string, unknown> =>
    isRecord(value) &&
    inRange(value['width'] ?? 0, 1, 1e9, true) &&
    inRange(value['height'] ?? 0, 1, 1e9, true)
  must(sized(canvas), 'canvas has width and height')
  must(sized(imgPos) && Number.isInteger(imgPos['x']) && Number.isInteger(imgPos['y']), 'imgPos is wrong')
  must(isRecord(mask) && (isText(mask['url']) || Array.isArray(mask['areas'])), 'mask needs areas or url')
  const areas = (mask as Record<string, unknown>)['areas'] ?? [undefined]
  const whole = (point: unknown): boolean => Number.isInteger(point)
  must(
    Array.isArray(areas) &&
      areas.length > 0 &&
      areas.every(
        (area) =>
          area === undefined ||
          (sized(area) &&
            Array.isArray(area['points']) &&
            area['points'].length >= 6 &&
            area['points'].every(whole)),
      ),
    'areas are wrong',
  )
}
