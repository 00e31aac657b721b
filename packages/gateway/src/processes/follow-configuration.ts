import type { Logger } from 'pino'
import { validateSettings } from '../compose/protocols.ts'
import { configuredUpstreams } from '../configuration/configured-upstreams.ts'
import { type Configuration, type Option, type OptionName, options } from '../configuration/options.ts'
import { ensureFirstStart } from '@fairlead/platform-server/first-start/first-start'
import type { Store } from '@fairlead/platform-server/store/open-store'
import type { Gateway } from '../start-gateway.ts'
import { protocolModules, protocols } from '../protocols.ts'

/** What a new configuration is taken over into. */
export interface Followed {
  /** The one in force. */
  readonly configuration: Configuration
  /** @throws FairleadError `CONFIG_INVALID` */
  readonly read: () => Configuration
  readonly gateway: Pick<Gateway, 'apply'>
  readonly store: Store
  readonly log: Logger
}

/** Takes over what can change while the service runs. */
export interface ConfigurationFollower {
  /** Reads the configuration again. It never throws: one that is invalid changes nothing, and the log says why. */
  readonly reload: () => void
  /** Resolves when no change is under way. */
  settled(): Promise<void>
}

const names = Object.keys(options) as OptionName[]
const reloadable: ReadonlySet<OptionName> = new Set(
  (Object.entries(options) as [OptionName, Option][]).flatMap(([name, { reload }]) => (reload ? [name] : [])),
)
// What the records of the configured node are made of.
const ofNode: ReadonlySet<OptionName> = new Set(
  names.filter((name) => name.endsWith('Upstream') || name === 'network' || name === 'beaconDebug'),
)

/** Makes what follows the configuration file; those options that cannot change are named in the log and stay. */
export function followConfiguration({
  configuration,
  read,
  gateway,
  store,
  log,
}: Followed): ConfigurationFollower {
  let current = configuration
  let following: Promise<void> = Promise.resolve()
  const follow = async () => {
    const next = read()
    // What is wrong with them is found here, before anything is changed.
    validateSettings(protocolModules, next)
    const changed = names.filter((name) => next[name] !== current[name])
    const applied = changed.filter((name) => reloadable.has(name))
    const kept = changed.filter((name) => !reloadable.has(name))
    if (applied.some((name) => ofNode.has(name))) {
      const { network, beaconDebug, revealCredentials } = next
      await ensureFirstStart(store, {
        protocols,
        upstreams: configuredUpstreams(next),
        network,
        beaconDebug,
        revealCredentials,
      })
    }
    current = Object.freeze({ ...current, ...pick(next, applied) })
    gateway.apply(current)
    log.level = current.logLevel ?? 'info'
    if (kept.length > 0) log.warn({ options: kept }, 'these options change at the next start only')
    log.info({ options: applied }, 'the configuration was read again')
  }
  return {
    reload: () => {
      following = following.then(follow).catch((error: unknown) => {
        log.error(
          { problem: problemOf(error) },
          'the configuration could not be taken over; nothing was changed',
        )
      })
    },
    settled: () => following,
  }
}

function pick(from: Configuration, some: readonly OptionName[]): Partial<Configuration> {
  return Object.fromEntries(some.map((name) => [name, from[name]]))
}

// The message of such an error holds no value.
function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}
