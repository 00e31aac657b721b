import { HttpStatusCode } from '@lodestar/api'
import { ApiError } from '@lodestar/api/server'
import type { CachedBeaconStateFulu } from '@lodestar/state-transition'
import {
  getValidatorStatus,
  mapToGeneralStatus,
  type GeneralValidatorStatus,
  type phase0,
  type ValidatorIndex,
  type ValidatorStatus,
} from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import { Refused } from '../chain/refused.ts'

const maxIdsInQuery = 64
const pubkeyPattern = /^0x[a-fA-F0-9]{96}$/
const indexPattern = /^\d+$/

/** A validator in the registry of one state. */
export interface RegisteredValidator {
  index: ValidatorIndex
  balance: number
  status: ValidatorStatus
  validator: phase0.Validator
}

const statuses: ReadonlySet<string> = new Set<ValidatorStatus | GeneralValidatorStatus>([
  'pending_initialized',
  'pending_queued',
  'active_ongoing',
  'active_exiting',
  'active_slashed',
  'exited_unslashed',
  'exited_slashed',
  'withdrawal_possible',
  'withdrawal_done',
  'active',
  'pending',
  'exited',
  'withdrawal',
])

/**
 * Finds a validator in a state.
 *
 * @param state The state whose registry is searched.
 * @param id Index, or public key as 0x and 96 hex digits.
 * @returns The index, or `undefined` when the state has no such validator.
 * @throws Refused when the id is neither an index nor a public key.
 */
export function findValidator(state: CachedBeaconStateFulu, id: string | number): ValidatorIndex | undefined {
  const text = String(id)
  if (indexPattern.test(text)) return Number(text) < state.validators.length ? Number(text) : undefined
  if (!pubkeyPattern.test(text)) {
    throw new Refused('A validator id must be an index or a public key of 48 bytes in hex.')
  }
  const index = state.epochCtx.getValidatorIndex(fromHex(text))
  // All states share the keys, and an older state may not contain the validator yet.
  return index === null || index >= state.validators.length ? undefined : index
}

/**
 * Finds the validators that a request names, without duplicates and unknown validators.
 *
 * @param state The state whose registry is searched.
 * @param ids Indices and public keys; an empty list means every validator.
 * @returns The indices.
 * @throws Refused when an id is malformed.
 */
export function findValidators(
  state: CachedBeaconStateFulu,
  ids: readonly (string | number)[] | undefined,
): ValidatorIndex[] {
  if (ids === undefined || ids.length === 0) return Array.from(state.validators.getAllReadonly().keys())
  const found = ids.map((id) => findValidator(state, id)).filter((index) => index !== undefined)
  return [...new Set(found)]
}

/**
 * Rejects a body whose filters are not lists, because the route table maps over them without a check.
 *
 * @param body Parsed JSON of `POST /eth/v1/beacon/states/{state_id}/validators`.
 * @throws Refused with the name of the filter.
 */
export function requireFilterLists(body: unknown): void {
  const filters = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  for (const name of ['ids', 'statuses']) {
    const value = filters[name]
    if (value !== undefined && value !== null && !Array.isArray(value)) {
      throw new Refused(`${name} must be a list of strings.`)
    }
  }
}

/**
 * Rejects a query with more ids than the beacon node API allows in a URL.
 *
 * @param ids The ids of the query.
 * @throws ApiError 414 for more than 64 of them.
 */
export function limitIdsInQuery(ids: readonly unknown[] | undefined): void {
  if (ids !== undefined && ids.length > maxIdsInQuery) {
    throw new ApiError(
      HttpStatusCode.URI_TOO_LONG,
      `A query may contain at most ${maxIdsInQuery} ids; use POST for more.`,
    )
  }
}

/**
 * Reads a validator and its status in one state.
 *
 * @param state The state.
 * @param index The validator; it must exist.
 * @returns The registry entry and the balance, in Gwei.
 */
export function readValidator(state: CachedBeaconStateFulu, index: ValidatorIndex): RegisteredValidator {
  const validator = state.validators.getReadonly(index).toValue()
  return {
    index,
    balance: state.balances.get(index),
    status: getValidatorStatus(validator, state.epochCtx.epoch),
    validator,
  }
}

/**
 * Creates a filter from the statuses in a request.
 *
 * @param wanted Statuses and general statuses; an empty list accepts every validator.
 * @returns Whether a validator with the status is wanted.
 * @throws Refused for a word that is not a status.
 */
export function statusFilter(wanted: readonly string[] | undefined): (status: ValidatorStatus) => boolean {
  if (wanted === undefined || wanted.length === 0) return () => true
  if (!wanted.every((status) => statuses.has(status))) {
    throw new Refused(`A validator status must be one of ${[...statuses].join(', ')}.`)
  }
  const accepted = new Set(wanted)
  return (status) => accepted.has(status) || accepted.has(mapToGeneralStatus(status))
}
