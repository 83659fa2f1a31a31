/**
 * Images with the openai package and the AI SDK, over HTTP; `openai-images.thorough.test.ts` has the other
 * ways.
 */
import { clientIntegrations } from './_integrations.ts'
import { describeOpenAiImages } from './_openai-images.ts'

describeOpenAiImages(clientIntegrations)
