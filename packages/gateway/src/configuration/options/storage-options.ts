import { secretKeyForm, secretKeyRule } from '@fairlead/gateway-core/credentials/encryption'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** Stored data, its location, and its encryption key. */
export const storageOptions = {
  dataDirectory: {
    kind: 'string',
    environment: 'FAIRLEAD_DATA_DIRECTORY',
    description: 'Directory of the embedded database and the embedded chains.',
    fallback: '.fairlead',
  },
  databaseUrl: {
    kind: 'secret',
    environment: 'DATABASE_URL',
    description:
      'PostgreSQL connection URL, with optional `connect_timeout` in seconds (default 5); without a URL, an embedded database is used.',
    form: {
      pattern: /^postgres(ql)?:\/\/\S+$/,
      rule: 'a URL of the form postgresql://user@host:port/database',
    },
  },
  secretKey: {
    kind: 'secret',
    environment: 'FAIRLEAD_SECRET_KEY',
    description:
      'Encryption key of secrets in the database, 32 bytes in hex or base64; default: secret.key in dataDirectory, generated at the first start.',
    form: { pattern: secretKeyForm, rule: secretKeyRule },
  },
  revealCredentials: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REVEAL_CREDENTIALS',
    description:
      'Encrypt node credentials at rest so that the platform API can reveal them; false = store only hashes.',
    fallback: true,
  },
  valkeyUrl: {
    kind: 'secret',
    environment: 'FAIRLEAD_VALKEY_URL',
    description:
      'URL of Valkey or Redis for the limits and cached responses of all replicas, rediss:// for TLS; without a URL, each replica is independent.',
    form: {
      pattern: /^rediss?:\/\/\S+$/,
      rule: 'a URL of the form redis://user:password@host:port/number',
    },
  },
  developmentChains: {
    kind: 'enum',
    environment: 'FAIRLEAD_DEVELOPMENT_CHAINS',
    description: 'Embedded chains of `fairlead dev`: all, evm, beacon, jetton or solana.',
    values: ['all', 'evm', 'beacon', 'jetton', 'solana'],
    fallback: 'all',
  },
} as const satisfies Readonly<Record<string, Option>>
