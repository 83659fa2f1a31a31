import OpenAI from 'openai'

async function callGateway(sim) {
  const client = new OpenAI(sim.sdk.openai())
  await client.videos.create({ model: 'sora-2', prompt: 'a sunset' })
}

// This test fails on purpose: the SDK retries after the lost response and creates a second video. To fix the
// client, turn off retries (`maxRetries: 0`) and look up the video in the list of videos.

// Expected requests: videos.create, 1
