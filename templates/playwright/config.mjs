import { defineConfig } from '@playwright/test'

export default defineConfig({
  // Starts your web app. Its server inherits the variables that `gateway-sim exec` sets for SDKs.
  // webServer: { command: 'npm start', port: 3000, reuseExistingServer: false },
})
