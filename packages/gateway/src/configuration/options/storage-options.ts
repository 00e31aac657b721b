import { secretKeyForm, secretKeyRule } from '@fairlead/gateway-core/credentials/sealing'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** What the service keeps, where, and under which key. */
export const storageOptions = {
  dataDirectory: {
    kind: 'string',
    environment: 'FAIRLEAD_DATA_DIRECTORY',
    description: 'Folder for the embedded database and the embedded chains.',
    fallback: '.fairlead',
  },
  databaseUrl: {
    kind: 'secret',
    environment: 'DATABASE_URL',
    description:
      'PostgreSQL connection string, with `connect_timeout` in seconds (5 unless given); without one an embedded database is used.',
    form: {
      pattern: /^postgres(ql)?:\/\/\S+$/,
      rule: 'a URL of the form postgresql://user@host:port/database',
    },
  },
  secretKey: {
    kind: 'secret',
    environment: 'FAIRLEAD_SECRET_KEY',
    description:
      'Key that upstream addresses are sealed with in the database, 32 bytes as 64 hex digits or in base64; without it the file secret.key of the data directory is used, and made.',
    form: { pattern: secretKeyForm, rule: secretKeyRule },
  },
  revealCredentials: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REVEAL_CREDENTIALS',
    description:
      'Keep the secrets of node credentials encrypted, so that the platform API can show them again; otherwise only their hashes.',
    fallback: true,
  },
  valkeyUrl: {
    kind: 'secret',
    environment: 'FAIRLEAD_VALKEY_URL',
    description:
      'Address of the Valkey or Redis that all replicas share for limits and answers; rediss:// for TLS. Without it each goes by itself.',
    form: {
      pattern: /^rediss?:\/\/\S+$/,
      rule: 'a URL of the form redis://user:password@host:port/number',
    },
  },
  developmentChains: {
    kind: 'enum',
    environment: 'FAIRLEAD_DEVELOPMENT_CHAINS',
    description: 'Embedded chains that the development mode runs.',
    values: ['all', 'evm', 'beacon', 'jetton', 'solana'],
    fallback: 'all',
  },
} as const satisfies Readonly<Record<string, Option>>
