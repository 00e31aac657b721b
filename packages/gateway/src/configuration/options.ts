import type { Option, OptionGroup, ValuesOf } from '@fairlead/gateway-core/protocol/option'
import { protocolModules } from '../protocols.ts'
import { limitOptions } from './options/limit-options.ts'
import { listeningOptions } from './options/listening-options.ts'
import { observationOptions } from './options/observation-options.ts'
import { organizationOptions } from './options/organization-options.ts'
import { signInOptions } from './options/sign-in-options.ts'
import { storageOptions } from './options/storage-options.ts'
import { upstreamOptions } from './options/upstream-options.ts'

export type { Option } from '@fairlead/gateway-core/protocol/option'

type Intersection<union> = (union extends unknown ? (each: union) => void : never) extends (
  all: infer all,
) => void
  ? all
  : never

type ProtocolOptions = Intersection<(typeof protocolModules)[number]['options']>

const rows: readonly (readonly [string, Option])[] = protocolModules.flatMap(({ options: moduleOptions }) =>
  Object.entries<Option>(moduleOptions),
)
// Each module contributes its options; the type lists their names.
const protocolOptions = Object.fromEntries(rows) as ProtocolOptions

/** Returns the options of all protocols under one heading. */
function rowsUnder(heading: NonNullable<Option['topic']>): OptionGroup {
  return Object.fromEntries(rows.filter(([, { topic = 'upstreams' }]) => topic === heading))
}

/** The options by topic, under the headings of `fairlead serve --help` and of the reference page. */
export const optionGroups: readonly { readonly title: string; readonly options: OptionGroup }[] = [
  { title: 'Ports and connections', options: listeningOptions },
  { title: 'Storage', options: storageOptions },
  { title: 'Nodes', options: { ...rowsUnder('upstreams'), ...upstreamOptions } },
  { title: 'Limits', options: { ...limitOptions, ...rowsUnder('limits') } },
  { title: 'Organizations', options: organizationOptions },
  { title: 'Sign-in', options: signInOptions },
  { title: 'Metrics, logs and events', options: observationOptions },
]

/**
 * Every option of the gateway. The configuration file uses the same names. The environment takes precedence over the
 * file.
 */
export const options = {
  ...listeningOptions,
  ...storageOptions,
  ...protocolOptions,
  ...upstreamOptions,
  ...limitOptions,
  ...organizationOptions,
  ...signInOptions,
  ...observationOptions,
}

export type OptionName = keyof typeof options

/** The configuration of one gateway, parsed and frozen. */
export type Configuration = ValuesOf<typeof options>
