/** One call of each operation whose answer unfolds over time, as a client would make it. */

const image = 'https://pictures.example/a.png'
const job = { jobId: 'job-before', imageNo: 0 }
const prompt = 'a question'

/** What exists before these calls. */
export const existing = {
  imageJobs: [{ id: job.jobId, status: 'succeeded' }],
  videos: [{ id: 'video_before', status: 'completed' }],
} as const

type Fields = Readonly<Record<string, unknown>>

/** What a call needs to be answered by a stream script. */
export interface CallNeeds {
  /** The tools that the script calls. */
  readonly tools: readonly string[]
  /** Whether it tells of partial pictures. */
  readonly partials: boolean
  readonly usage: boolean
}

/** The `with` of a call; undefined for operations whose answers are there at once. */
export function defaultCall(operation: string, { tools, partials, usage }: CallNeeds): Fields | undefined {
  const parameters = { type: 'object' }
  const pictures = { model: 'gpt-image-1', prompt, stream: true, ...(partials ? { partial_images: 3 } : {}) }
  const calls: Readonly<Record<string, Fields>> = {
    'chat.create': {
      model: 'gpt-4o',
      stream: true,
      ...(usage ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: prompt }],
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((name) => ({ type: 'function', function: { name, parameters } })) }),
    },
    'messages.create': {
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      stream: true,
      messages: [{ role: 'user', content: prompt }],
      ...(tools.length === 0 ? {} : { tools: tools.map((name) => ({ name, input_schema: parameters })) }),
    },
    'images.generate': pictures,
    'images.edit': { ...pictures, image: { picture: { width: 64, height: 64 } } },
    'imageJobs.create': { model: 'image-job-v7', text: prompt },
    'imageJobs.uploadPaint': {
      model: 'image-job-v7',
      imgUrl: image,
      mask: { url: image },
      canvas: { width: 200, height: 200 },
      imgPos: { width: 100, height: 100, x: 0, y: 0 },
      remixPrompt: prompt,
    },
    'imageJobs.retexture': { model: 'image-job-v7', imgUrl: image, remixPrompt: prompt },
    'imageJobs.removeBackground': { model: 'image-job-v7', imgUrl: image },
    'imageJobs.pan': { ...job, direction: 1, scale: 1.5, remixPrompt: prompt },
    'imageJobs.variation': { ...job, type: 1, remixPrompt: prompt },
    'videos.create': { model: 'video-1', prompt },
    'videos.remix': { video_id: 'video_before', prompt },
    'operations.submit': { model: 'veo-1', instances: [{ prompt }] },
    'operations.submitForPublisher': { publisher: 'google', model: 'veo-1', instances: [{ prompt }] },
  }
  return calls[operation]
}
