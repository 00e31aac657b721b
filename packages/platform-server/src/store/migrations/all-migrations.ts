import type { Migration } from 'kysely/migration'
import { createEncryptor, type Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import * as initial from './0001-initial.ts'
import * as nodeMethods from './0002-node-methods.ts'
import * as beaconDebug from './0003-beacon-debug.ts'
import { sealedUpstreams } from './0004-sealed-upstreams.ts'
import * as accessRulesAndLimits from './0005-access-rules-and-limits.ts'
import * as usage from './0006-usage.ts'
import * as people from './0007-people.ts'
import * as nodes from './0008-nodes.ts'
import * as webhooks from './0009-webhooks.ts'
import * as usageDurations from './0010-usage-durations.ts'
import * as invitationsOfKeys from './0011-invitations-of-keys.ts'
import * as authenticationTime from './0012-authentication-time.ts'

/**
 * Returns all migrations by name, sorted by name. A released migration is never changed and never removed; a schema
 * change is a new file and a new line here.
 */
export function allMigrations(encryptor: Encryptor): Readonly<Record<string, Migration>> {
  return {
    '0001-initial': initial,
    '0002-node-methods': nodeMethods,
    '0003-beacon-debug': beaconDebug,
    '0004-sealed-upstreams': sealedUpstreams(encryptor),
    '0005-access-rules-and-limits': accessRulesAndLimits,
    '0006-usage': usage,
    '0007-people': people,
    '0008-nodes': nodes,
    '0009-webhooks': webhooks,
    '0010-usage-durations': usageDurations,
    '0011-invitations-of-keys': invitationsOfKeys,
    '0012-authentication-time': authenticationTime,
  }
}

/** Names of all migrations, oldest first. */
// Any key works where only the names are used.
export const migrationNames: readonly string[] = Object.keys(
  allMigrations(createEncryptor(new Uint8Array(32))),
)
