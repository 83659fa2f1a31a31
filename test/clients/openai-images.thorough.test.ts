/** Images with the openai package and the AI SDK, in process and behind msw. */
import { inProcess, mswIntegration } from './_integrations.ts'
import { describeOpenAiImages } from './_openai-images.ts'

describeOpenAiImages([inProcess, mswIntegration])
