/** Settings and scenario keys of earlier versions, and what replaced each: the error for a removed key. */

const rule = (then: string): string => `use a rule (${then})`

export const removedSettings: Readonly<Record<string, string>> = {
  'clientReport.pollEvery': 'a poll is expected once a second; turn the finding off with clientReport.off',
  sessions:
    'a request that names an unknown session creates it, except in strict mode, and ids do not name a ' +
    'server: route requests by the session in the URL or in x-sim-session',
  cors: 'browser requests from any origin are always allowed',
  traffic: 'its limits are constant',
  'limits.formBytes': 'a form may be twice as large as limits.fileBytes',
  'limits.chatImageBytes': 'chat ignores images over 8 MiB',
  'chat.unstreamedModels': rule(
    'when: { model: …, body: { stream: true } }, then: { error: { status: 400 } }',
  ),
  'images.models.a': 'every model that is not of kind B or C is of kind A',
  'images.defaults': 'the default models are gpt-image-1 and dall-e-2',
  'images.withoutInputFidelity': 'gpt-image-1-mini models reject input_fidelity',
  'images.unknownParameters': 'image operations ignore unknown fields',
  'images.firstEventAfter': rule('then: { stream: { firstEventAfter: … } }'),
  'images.eventInterval': rule('then: { stream: { eventInterval: … } }'),
  'images.urlExpiresAfter': 'image URLs are valid for 60 minutes: advance the clock',
  'videos.expiresAfter': 'finished videos can be downloaded for 24 hours: advance the clock',
  'videos.minBytes': rule('then: { response: { file: … } } with a large file'),
  'systemone.maxTokens': 'the contract limits requests to 65,536 tokens',
  'systemone.maxQuestionTokens': 'the contract limits the state and a question to 32,768 tokens',
  'systemone.decimals': 'probabilities, confidences and scores have two decimal places',
  'systemone.upstreamFields': rule('then: { patch: { region: eu } }'),
  'systemone.upstream': rule('then: { upstream: { status: … } }'),
  'systemone.price.currency': 'amounts are in USD; a rule can change it (then: { patch: … })',
  'systemone.discount': rule('then: { patch: { cost: … } }'),
  'videoOperations.place': 'names of operations begin with projects/gateway-sim/locations/us-central1',
  'files.region': 'the region is local, unless the request names one',
  'files.uploadStatus': 'a successful upload always gets 200',
  'files.expiresAfter': 'upload URLs are valid for 15 minutes: advance the clock',
  'files.pathBytes': 'a path has at most 850 bytes, as in COS',
  'files.credentials': 'an upload that includes an API key is rejected',
  'memory.resources': 'use memory.items, which limits all that a session keeps',
  'memory.requests': 'use memory.items, which limits all that a session keeps',
  'memory.files': 'use memory.items, which limits all that a session keeps',
  'memory.fileBytes': 'use memory.bytes, which limits all that a session keeps',
  'memory.mediaBytes': 'the cache of rendered media has 64 MiB',
  'memory.journalEntries': 'use memory.items, which limits all that a session keeps',
  'memory.journalBodies': 'the journal keeps the first 64 KiB of each body',
  'memory.journalBytes': 'use memory.bytes, which limits all that a session keeps',
  'memory.journalBytesInAll': 'all sessions together keep at most four times memory.bytes',
  'control.prefix': 'the control API is at /__sim',
  'control.ui': 'the page is part of the control API (control.enabled)',
  'control.metrics': 'metrics are part of the control API (control.enabled)',
}

/** The keys of scenarios, by their last two names. */
export const removedKeys: Readonly<Record<string, string>> = {
  'then.weighted': 'write faults with a `chance`, or a `sequence`',
  'when.job': 'select the request by `path`, or write a `timeline` in the rule of the submission',
  'fault.inside': 'the split is inside the next multi-byte character, or at `atByte`',
  'stream.frames': 'write `raw` items in `script`, or a whole stream as `response: { text, contentType }`',
}
