/** Images with the openai package and the AI SDK: in process, over HTTP and behind msw. */
import { clientIntegrations, inProcess, mswIntegration } from './_integrations.ts'
import { describeOpenAiImages } from './_openai-images.ts'

describeOpenAiImages([inProcess, ...clientIntegrations, mswIntegration])
