import { limitOptions } from './options/limit-options.ts'
import { listeningOptions } from './options/listening-options.ts'
import { observationOptions } from './options/observation-options.ts'
import { signInOptions } from './options/sign-in-options.ts'
import { storageOptions } from './options/storage-options.ts'
import { upstreamOptions } from './options/upstream-options.ts'
import type { Option } from '@fairlead/gateway-core/protocol/option'

export type { Option } from '@fairlead/gateway-core/protocol/option'

/** The options by what they are about, under the headings of `fairlead serve --help` and of the reference page. */
export const optionGroups: readonly {
  readonly title: string
  readonly options: Readonly<Record<string, Option>>
}[] = [
  { title: 'Ports and connections', options: listeningOptions },
  { title: 'Storage', options: storageOptions },
  { title: 'Nodes', options: upstreamOptions },
  { title: 'Limits', options: limitOptions },
  { title: 'Sign-in', options: signInOptions },
  { title: 'Metrics, logs and events', options: observationOptions },
]

/** Every option of the service. The same names stand in the configuration file; the environment wins over the file. */
export const options = {
  ...listeningOptions,
  ...storageOptions,
  ...upstreamOptions,
  ...limitOptions,
  ...signInOptions,
  ...observationOptions,
}

export type OptionName = keyof typeof options

type Value<option extends Option> = option['kind'] extends 'integer' | 'number'
  ? number
  : option['kind'] extends 'boolean'
    ? boolean
    : option extends { readonly values: readonly (infer value)[] }
      ? value
      : string

/** The configuration of one service, parsed and frozen. */
export type Configuration = Readonly<{
  [name in OptionName]:
    | Value<(typeof options)[name]>
    | ((typeof options)[name] extends { fallback: unknown } ? never : undefined)
}>
