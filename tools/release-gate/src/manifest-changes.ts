import { type Manifest, publishedEntries } from './packages.ts'
import type { Reason } from './reason.ts'

/**
 * Returns the changes of a package.json that users notice: entries, commands, the required Node.js version,
 * dependencies.
 */
export function manifestChanges(before: Manifest, after: Manifest): readonly Reason[] {
  const commands = ({ bin }: Manifest) => (typeof bin === 'object' && bin !== null ? Object.keys(bin) : [])
  return [
    ...removed(publishedEntries(before), publishedEntries(after)).map((entry) =>
      major(`Entry \`${entry}\` was removed.`),
    ),
    ...removed(publishedEntries(after), publishedEntries(before)).map((entry) =>
      minor(`Entry \`${entry}\` was added.`),
    ),
    ...removed(commands(before), commands(after)).map((name) => major(`Command \`${name}\` was removed.`)),
    ...removed(commands(after), commands(before)).map((name) => minor(`Command \`${name}\` was added.`)),
    ...different(before, after, 'engines').map(() => major('The required Node.js version changed.')),
    ...different(before, after, 'peerDependencies').map(() =>
      major('The required peer dependencies changed.'),
    ),
    ...(['dependencies', 'optionalDependencies'] as const)
      .flatMap((key) => different(before, after, key))
      .map((key): Reason => ({ bump: 'patch', description: `Its ${key} changed.` })),
  ]
}

const major = (description: string): Reason => ({ bump: 'major', description })
const minor = (description: string): Reason => ({ bump: 'minor', description })

function removed(before: readonly string[], after: readonly string[]): readonly string[] {
  return before.filter((item) => !after.includes(item))
}

function different<key extends keyof Manifest>(before: Manifest, after: Manifest, key: key): readonly key[] {
  return JSON.stringify(before[key]) === JSON.stringify(after[key]) ? [] : [key]
}
