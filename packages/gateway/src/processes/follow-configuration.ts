import type { Logger } from 'pino'
import { validateSettings } from '../compose/protocols.ts'
import { configuredUpstreams } from '../configuration/configured-upstreams.ts'
import { type Configuration, type Option, type OptionName, options } from '../configuration/options.ts'
import { ensureFirstStart } from '@fairlead/platform-server/first-start/first-start'
import type { Store } from '@fairlead/platform-server/store/open-store'
import type { Gateway } from '../start-gateway.ts'
import { protocolModules, protocols } from '../protocols.ts'

/** Dependencies of {@link followConfiguration}. */
export interface Followed {
  /** The current configuration. */
  readonly configuration: Configuration
  /** @throws FairleadError `CONFIG_INVALID` */
  readonly read: () => Configuration
  readonly gateway: Pick<Gateway, 'apply'>
  readonly store: Store
  readonly log: Logger
}

/** Applies configuration changes while the gateway runs. */
export interface ConfigurationFollower {
  /**
   * Reads the configuration again. It never throws: an invalid configuration changes nothing, and the log reports the
   * reason.
   */
  readonly reload: () => void
  /** Resolves when no change is in progress. */
  settled(): Promise<void>
}

const names = Object.keys(options) as OptionName[]
const reloadable: ReadonlySet<OptionName> = new Set(
  (Object.entries(options) as [OptionName, Option][]).flatMap(([name, { reload }]) => (reload ? [name] : [])),
)
// Options that define the records of the configured node.
const ofNode: ReadonlySet<OptionName> = new Set(
  names.filter((name) => name.endsWith('Upstream') || name === 'network' || name === 'beaconDebug'),
)

/**
 * Creates the follower of the configuration file. Changed options that cannot be reloaded are logged and keep their
 * values.
 */
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
    // Detects invalid settings before anything is changed.
    validateSettings(protocolModules, next)
    const changed = names.filter((name) => next[name] !== current[name])
    const applied = changed.filter((name) => reloadable.has(name))
    const restartOnly = changed.filter((name) => !reloadable.has(name))
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
    if (restartOnly.length > 0)
      log.warn({ options: restartOnly }, 'these options take effect only after a restart')
    log.info({ options: applied }, 'the configuration was reloaded')
  }
  return {
    reload: () => {
      following = following.then(follow).catch((error: unknown) => {
        log.error(
          { problem: problemOf(error) },
          'the configuration could not be reloaded; nothing was changed',
        )
      })
    },
    settled: () => following,
  }
}

function pick(from: Configuration, some: readonly OptionName[]): Partial<Configuration> {
  return Object.fromEntries(some.map((name) => [name, from[name]]))
}

// The message of such an error holds no value of an option.
function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}
