const { createSimulator } = require('gateway-sim')
for (const name of ['node', 'express', 'client', 'openapi', 'trial']) require(`gateway-sim/${name}`)

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] }
createSimulator()
  .fetch('http://gateway.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  .then((response) => response.json())
  .then(({ choices }) => console.log(choices[0].message.content))
