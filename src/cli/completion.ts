/** `gateway-sim completion`. yargs answers it before a command runs: see main.ts. */
import { defineCommand, exitCodes } from './command.ts'

export const command = defineCommand({
  examples: [
    ['gateway-sim completion >> ~/.bashrc', 'Install the script in bash'],
    ['gateway-sim completion >> ~/.zshrc', 'Install the script in zsh'],
  ],
  flags: {},
  handler: () => exitCodes.ok,
})
