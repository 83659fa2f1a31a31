/** Words that are valid and hardly mean what they say: the scenario works, and `validate` warns. */
import { describe } from 'vitest'
import { warns } from './_errors.ts'

describe('an image of a script', () => {
  warns(`
images.generate { stream: { script: [{ partial: 0 }, { image: 1 }, { image: 0 }] } }
images.generate { stream: { script: [{ image: 1 }] } }
  4:32 image 1: the script has no image 0 (numbers start at 0)
rule { when: { operation: images.generate, body: { n: 1 } }, then: { stream: { script: [{ image: 0 }, \\
    { image: 1 }] } } }
  3:102 image 1: the request asks for 1 image, numbered from 0
  `)
})

describe('a name in the template syntax of other tools', () => {
  const video =
    'videos.create, with: { model: sora-2, prompt: x }, save: { video: body.id }, expect: { status: 200 } }'
  warns(`
chat.create { text: "You said {{ request.body.model }}" }
  4:19 "{{ request.body.model }}" is sent unchanged: to insert the value, write "\${body.model}"
chat.create { text: "Use {{ mustache }} and {model} and $model" }
step { call: ${video}\\n  - { call: videos.retrieve, with: { video_id: $video } }
  4:48 "$video" is sent unchanged: to insert the value, write "\${video}"
step { call: ${video}\\n  - { call: videos.retrieve, with: { video_id: "{video}" } }
  4:48 "{video}" is sent unchanged: to insert the value, write "\${video}"
step { call: ${video}\\n  - { fetch: "https://a.test/{{video.id}}" }
  4:14 "{{video.id}}" is sent unchanged: to insert the value, write "\${video.id}"
step { call: ${video}\\n  - { call: videos.create, with: { model: sora-2, prompt: "{{other}} $videos" } }
  `)
})

describe('a type of error next to a status', () => {
  warns(`
chat.create { error: { type: rate_limit, status: 429 } }
  4:28 "rate_limit" is sent unchanged: did you mean rate_limit_error?
chat.create { error: { type: out_of_coffee, status: 418 } }
  `)
})

describe('a model missing from `models`', () => {
  warns(
    `
rule { when: { operation: chat.create, model: gpt4o }, then: { text: a } }
  4:46 requests with the model "gpt4o" get a 404, because \`models\` does not list it; did you mean gpt-4o?
rule { when: { operation: chat.create, model: gpt5 }, then: { error: { status: 404 } } }
rule { when: { operation: chat.create, model: gpt-5* }, then: { text: a } }
rule { when: { operation: chat.create, model: sim-slow }, then: { text: a } }
rule { when: { operation: messages.create, model: claude-9 }, then: { text: a } }
rule { when: { operation: videos.create, model: sora-2 }, then: { job: stuck } }
  `,
    'models: { chat: [gpt-4o], messages: [claude-*] }\n',
  )
})
