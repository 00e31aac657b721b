import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { runtimeVersion } from '../runtime-version.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Versions of the service, in the JSON format of the Geyser plugin. */
export const versionText = JSON.stringify({
  version: {
    package: 'fairlead-devnet',
    version,
    // Version of the protocol that defines the messages.
    proto: '12.6.0',
    solana: runtimeVersion,
    git: '',
    rustc: '',
    buildts: '',
  },
  extra: { hostname: hostname() },
})
