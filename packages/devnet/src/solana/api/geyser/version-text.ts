import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { runtimeVersion } from '../runtime-version.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Versions behind the service, in the JSON text that the plugin of nodes gives. */
export const versionText = JSON.stringify({
  version: {
    package: 'fairlead-devnet',
    version,
    // Version of the interface that the messages are those of.
    proto: '12.6.0',
    solana: runtimeVersion,
    git: '',
    rustc: '',
    buildts: '',
  },
  extra: { hostname: hostname() },
})
