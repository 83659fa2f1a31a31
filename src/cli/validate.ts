/** `gateway-sim validate`. */
import { gatewayApi } from '../disk/load-scenario.ts'
import type { SettingsInput } from '../generated/settings-types.ts'
import { findingsIn, type Validation, validationOf } from '../run/validation.ts'
import { type ArgsOf, defineCommand, exitCodes, type Io, usageError } from './command.ts'
import { allowedFolders, allowFiles, config, countOf, format, report, value } from './flags.ts'
import { prepareReports, printedAs } from './output-files.ts'
import { type FoundFile, findScenarioFiles, readScenarioFiles } from './scenario-files.ts'
import { findSettingsFile, inspectSettings, isSettingsFile, type YamlFile } from './settings-file.ts'

const flags = {
  format,
  'allow-files': allowFiles,
  config,
  report,
  'max-warnings': value('Maximum number of warnings before exit code 1'),
} as const

type ValidateArgs = ArgsOf<typeof flags> & { readonly files: readonly string[] }

export const command = defineCommand({
  arguments: '[files..]',
  examples: [
    ['gateway-sim validate outage.yaml', 'Check one file'],
    ['gateway-sim validate scenarios --report github', 'Annotate the lines of a pull request'],
    ['gateway-sim validate', 'Check the settings file alone'],
    ['gateway-sim validate scenarios --max-warnings 0', 'Fail on warnings too'],
  ],
  flags,
  async handler(args, io) {
    const output = await prepareReports(args.report, io, printedAs(args.format, io))
    const { report: shown, errors } = await validate(args as ValidateArgs, io)
    await output.write(shown)
    if (errors > 0) return exitCodes.file
    return shown.outcome === 'failed' ? exitCodes.failed : exitCodes.ok
  },
})

/** Checks files one by one and, unless they are of a directory, as the one set that `serve` makes of them. */
export async function validate(
  { files, config: given, ...args }: Pick<ValidateArgs, 'files' | 'config' | 'allowFiles' | 'maxWarnings'>,
  io: Io,
): Promise<Validation> {
  const maxWarnings = countOf('--max-warnings', args.maxWarnings, 0)
  const folders = allowedFolders(args.allowFiles, io.cwd)
  const found = await findScenarioFiles(files, io.cwd)
  const settings = await settingsAmong(found, given, io)
  const isSettings = ({ path }: FoundFile): boolean => settings.files.some((file) => file.path === path)
  const scenarios = found.filter((file) => !isSettings(file))
  const all = [...(await readScenarioFiles(scenarios, io)), ...settings.files]
  if (all.length === 0)
    throw usageError('Nothing to check: name scenario files or folders, or a settings file with --config.')
  const around = { allowFiles: folders, settings: settings.used }
  return validationOf(all, findingsIn(all, around, gatewayApi().reader.vocabulary), maxWarnings)
}

/** The settings files among those that were found, with the one that `serve` would use. */
async function settingsAmong(
  found: readonly FoundFile[],
  given: string | undefined,
  { cwd }: Io,
): Promise<{ files: readonly YamlFile[]; used: SettingsInput }> {
  const used = findSettingsFile(given, cwd)
  const named = found.flatMap(({ path, shown }) =>
    path !== undefined && isSettingsFile(path) ? [{ path, shown }] : [],
  )
  const isNamed = named.some(({ path }) => path === used?.path)
  const files = [...(used === undefined || isNamed ? [] : [used]), ...named]
  const read = await Promise.all(files.map(inspectSettings))
  const usable = read.find(({ path, errors }) => path === used?.path && errors.length === 0)
  return { files: read, used: (usable?.value ?? {}) as SettingsInput }
}
