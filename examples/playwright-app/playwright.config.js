import { defineConfig } from '@playwright/test'

const port = process.env.PORT ?? '3000'

export default defineConfig({
  testDir: 'tests',
  // Instead of five seconds, which a busy CI machine may need.
  expect: { timeout: 30_000 },
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // Default: the browser that `npx playwright install chromium` downloads.
    launchOptions: { executablePath: process.env.CHROMIUM },
  },
  webServer: { command: 'npm start', port: Number(port), reuseExistingServer: false },
})
