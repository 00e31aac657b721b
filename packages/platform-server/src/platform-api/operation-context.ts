import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { FailedAttemptLimiter } from '@fairlead/gateway-core/authentication/failed-attempts'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Units } from '@fairlead/gateway-core/usage/units'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { NodeDependencies } from '../endpoints/dependencies.ts'
import type { OidcSignIn } from '../sessions/oidc.ts'
import type { Passwords } from '../sessions/passwords.ts'
import type { SignInThrottle } from '../sessions/sign-in-throttle.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import type { SendOptions } from '../webhooks/send-webhook.ts'
import type { OrganizationLimits } from '../records/organization-limits.ts'
import type { RateLimits } from './rate-limits.ts'
import type { LookupLimit } from '../identity/lookup-limit.ts'

/** How webhook requests are sent. */
export interface WebhookSending {
  readonly send: SendOptions
  /** Sends newly stored deliveries immediately. */
  readonly wake: () => void
}

/** Dependencies of the platform API's operations. */
export interface OperationContext {
  readonly db: Kysely<Database>
  /** Encrypts and decrypts secrets that can be shown again. */
  readonly encryptor: Encryptor
  readonly log: Logger
  /** Reserves memory for request bodies; unlimited when omitted. */
  readonly memory?: Pick<MemoryLedger, 'reserve'> | undefined
  /** URL under which clients reach the gateway, if configured. */
  readonly publicUrl: string | undefined
  /** Cost of a call to a node. */
  readonly units: Units
  readonly failedAttempts: FailedAttemptLimiter | undefined
  /** Limits the lookups of keys and cookies. */
  readonly lookups: LookupLimit
  /** Counts the requests of each caller. */
  readonly limits: RateLimits
  /** Limits of each organization. */
  readonly organizationLimits: OrganizationLimits
  readonly passwords: Passwords
  readonly signInThrottle: SignInThrottle
  /** Set when users may sign in through a provider. */
  readonly oidc: OidcSignIn | undefined
  readonly nodes: NodeDependencies
  /** The protocols that nodes can have. */
  readonly protocols: readonly ProtocolDescription[]
  /** Runs several statements in one database session. */
  readonly withSession: Store['withSession']
  readonly webhooks: WebhookSending
}
