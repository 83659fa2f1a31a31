/** A page that draws images. The browser calls the gateway. */

// In the production bundle, SIMULATED is false, and esbuild removes the simulator.
if (SIMULATED) await import('./simulated-gateway.js')

const gateway = 'https://gateway.example/v1'
// Your app gets the key of its user here. The simulator accepts any key.
const headers = { authorization: 'Bearer sk-user', 'content-type': 'application/json' }

async function draw(prompt) {
  const body = JSON.stringify({ prompt, size: '512x512' })
  const response = await fetch(`${gateway}/images/generations`, { method: 'POST', headers, body })
  const { data, error } = await response.json()
  if (response.status === 503) return { message: 'The gateway is busy. Wait a minute.' }
  if (!response.ok) return { message: error.message }
  return { url: data[0].url }
}

const form = document.querySelector('form')
const image = document.querySelector('img')
const status = document.querySelector('[role=status]')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const prompt = new FormData(form).get('prompt')
  status.textContent = 'Drawing…'
  image.hidden = true
  const { url, message } = await draw(prompt).catch(() => ({ message: 'The connection broke.' }))
  status.textContent = message ?? `This is ${prompt}.`
  if (url !== undefined) Object.assign(image, { src: url, alt: prompt, hidden: false })
})
