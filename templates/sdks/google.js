import { GoogleGenAI } from '@google/genai'

async function callGateway(sim) {
  const client = new GoogleGenAI(sim.sdk.google())
  const submit = () =>
    client.models.generateVideos({ model: 'veo-3.0-generate-001', source: { prompt: 'a sunset' } })
  await submit().catch(submit)
}

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, report the lost response to the user instead of submitting the video again.

// Expected requests: videoOperations.submit, 1
