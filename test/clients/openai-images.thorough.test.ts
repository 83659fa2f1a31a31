/** Images with the openai package and the AI SDK, in process and behind msw. */
import { clientIntegrations, mswIntegration } from './_integrations.ts'
import { describeOpenAiImages } from './_openai-images.ts'

describeOpenAiImages([...clientIntegrations.filter(({ name }) => name !== 'HTTP'), mswIntegration])
