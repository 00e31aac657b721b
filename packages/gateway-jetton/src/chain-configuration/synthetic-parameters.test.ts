import { beginCell, type Cell, Dictionary } from '@ton/core'
import type { ConfigParam } from '@ton/sandbox/dist/config/config.tlb-gen.js'
import { describe, expect, it } from 'vitest'
import { decodeParameter } from './decode-parameter.ts'
import { boc, bytes, expected, serialize } from '../testing/oracle.ts'

describe('parameters that the main network does not have', () => {
  const publicKey = { kind: 'SigPubKey', pubkey: bytes('a1') } as const
  const plainValidator = {
    kind: 'ValidatorDescr_validator',
    public_key: publicKey,
    weight: 2n ** 60n,
  } as const
  const validators = {
    kind: 'ValidatorSet_validators',
    utime_since: 1,
    utime_until: 2,
    total: 2,
    main: 1,
    list: Dictionary.empty<number, typeof plainValidator>().set(0, plainValidator).set(1, plainValidator),
  } as const
  const simple = { kind: 'CryptoSignatureSimple', R: bytes('b1'), s: bytes('b2') } as const
  const signature = { kind: 'CryptoSignature__', anon0: simple } as const
  const signedCertificate = {
    kind: 'SignedCertificate',
    certificate: { kind: 'Certificate', temp_key: publicKey, valid_since: 3, valid_until: 4 },
    certificate_signature: signature,
  } as const
  const tempKey = (of: unknown) => ({
    kind: 'ValidatorSignedTempKey',
    key: {
      kind: 'ValidatorTempKey',
      adnl_addr: bytes('c1'),
      temp_public_key: publicKey,
      seqno: 5,
      valid_until: 6,
    },
    signature: of,
  })
  const chained = {
    kind: 'CryptoSignature_chained_signature',
    signed_cert: signedCertificate,
    temp_key_signature: simple,
  }
  const bridge = {
    kind: 'OracleBridgeParams',
    bridge_address: bytes('01'),
    oracle_mutlisig_address: bytes('02'),
    oracles: Dictionary.empty<bigint, bigint>().set(7n, 8n),
    external_chain_address: bytes('03'),
  }
  const jettonBridge = {
    kind: 'JettonBridgeParams_jetton_bridge_params_v0',
    bridge_address: bytes('04'),
    oracles_address: bytes('05'),
    oracles: Dictionary.empty<bigint, bigint>(),
    state_flags: 1,
    burn_bridge_fee: 2n ** 70n,
  }
  const sizes = {
    max_msg_bits: 1,
    max_msg_cells: 2,
    max_library_cells: 3,
    max_vm_data_depth: 4,
    max_ext_msg_size: 5,
    max_ext_msg_depth: 6,
  }
  const workchain = {
    kind: 'WorkchainDescr_workchain',
    enabled_since: 1,
    monitor_min_split: 0,
    min_split: 1,
    max_split: 2,
    basic: 0,
    active: { kind: 'Bool', value: false },
    accept_msgs: { kind: 'Bool', value: true },
    flags: 0,
    zerostate_root_hash: bytes('d1'),
    zerostate_file_hash: bytes('d2'),
    version: 3,
    format: {
      kind: 'WorkchainFormat_wfmt_ext',
      min_addr_len: 64,
      max_addr_len: 96,
      addr_len_step: 8,
      workchain_type_id: 9,
    },
  }
  const gas = {
    gas_price: 2n ** 63n,
    gas_limit: 2n,
    gas_credit: 3n,
    block_gas_limit: 4n,
    freeze_due_limit: 5n,
    delete_due_limit: 6n,
  }
  const rounds = {
    round_candidates: 3,
    next_candidate_delay_ms: 4,
    consensus_timeout_ms: 5,
    fast_attempts: 6,
    attempt_duration: 7,
    catchain_max_deps: 8,
    max_block_bytes: 9,
    max_collated_bytes: 10,
  }
  const flagged = { ...rounds, flags: 0, new_catchain_ids: { kind: 'Bool', value: true } }
  const cases: readonly (readonly [id: number, parameter: unknown])[] = [
    [3, { kind: 'ConfigParam__3', fee_collector_addr: bytes('ab') }],
    [
      5,
      {
        kind: 'ConfigParam__5',
        anon0: {
          kind: 'BurningConfig',
          blackhole_addr: { kind: 'Maybe_nothing' },
          fee_burn_num: 1,
          fee_burn_denom: 2,
        },
      },
    ],
    [6, { kind: 'ConfigParam__6', mint_new_price: 1n, mint_add_price: 2n ** 64n }],
    [12, { kind: 'ConfigParam__12', workchains: Dictionary.empty<number, unknown>().set(1, workchain) }],
    [20, { kind: 'ConfigParam_config_mc_gas_prices', anon0: { kind: 'GasLimitsPrices_gas_prices', ...gas } }],
    [
      21,
      {
        kind: 'ConfigParam_config_gas_prices',
        anon0: { kind: 'GasLimitsPrices_gas_prices_ext', special_gas_limit: 7n, ...gas },
      },
    ],
    [
      28,
      {
        kind: 'ConfigParam__26',
        anon0: {
          kind: 'CatchainConfig_catchain_config',
          mc_catchain_lifetime: 1,
          shard_catchain_lifetime: 2,
          shard_validators_lifetime: 3,
          shard_validators_num: 4,
        },
      },
    ],
    [29, { kind: 'ConfigParam__27', anon0: { kind: 'ConsensusConfig_consensus_config', ...rounds } }],
    [29, { kind: 'ConfigParam__27', anon0: { kind: 'ConsensusConfig_consensus_config_new', ...flagged } }],
    [
      29,
      {
        kind: 'ConfigParam__27',
        anon0: { kind: 'ConsensusConfig_consensus_config_v3', ...flagged, proto_version: 11 },
      },
    ],
    [33, { kind: 'ConfigParam__30', prev_temp_validators: validators }],
    [35, { kind: 'ConfigParam__32', cur_temp_validators: validators }],
    [37, { kind: 'ConfigParam__34', next_temp_validators: validators }],
    [
      39,
      {
        kind: 'ConfigParam__35',
        anon0: Dictionary.empty<bigint, unknown>().set(1n, tempKey(signature)).set(2n, tempKey(chained)),
      },
    ],
    [
      40,
      {
        kind: 'ConfigParam__36',
        anon0: {
          kind: 'MisbehaviourPunishmentConfig',
          default_flat_fine: 101_000_000_000n,
          default_proportional_fine: 1,
          severity_flat_mult: 2,
          severity_proportional_mult: 3,
          unpunishable_interval: 4,
          long_interval: 5,
          long_flat_mult: 6,
          long_proportional_mult: 7,
          medium_interval: 8,
          medium_flat_mult: 9,
          medium_proportional_mult: 10,
        },
      },
    ],
    [43, { kind: 'ConfigParam__37', anon0: { kind: 'SizeLimitsConfig_size_limits_config', ...sizes } }],
    [
      43,
      {
        kind: 'ConfigParam__37',
        anon0: {
          kind: 'SizeLimitsConfig_size_limits_config_v2',
          ...sizes,
          max_acc_state_cells: 7,
          max_acc_state_bits: 8,
          max_acc_public_libraries: 9,
          defer_out_queue_size_limit: 10,
          max_msg_extra_currencies: 11,
          max_acc_fixed_prefix_length: 12,
        },
      },
    ],
    [73, { kind: 'ConfigParam__42', anon0: bridge }],
    [81, { kind: 'ConfigParam__44', anon0: jettonBridge }],
    [82, { kind: 'ConfigParam__45', anon0: jettonBridge }],
  ]
  it.each(cases)('are decoded from cells of the oracle: %i', (id, parameter) => {
    const cell = serialize(parameter as ConfigParam)
    const value = decodeParameter(id, boc(cell))
    expect(value).not.toHaveProperty('cell')
    expect(JSON.parse(JSON.stringify(value))).toEqual(expected(id, cell))
  })
})

describe('formats that are newer than the oracle', () => {
  it('include the consensus of parameter 30', () => {
    const first = beginCell().storeUint(0x21, 8).storeUint(1, 8)
    for (const each of [400, 4, 1000, 250]) first.storeUint(each, 32)
    const params = Dictionary.empty(Dictionary.Keys.Uint(8), Dictionary.Values.Uint(32)).set(0, 2400)
    const second = beginCell().storeUint(0x22, 8).storeUint(0, 8).storeUint(4, 32).storeDict(params)
    const all = (cells: readonly Cell[]) => {
      const [mc, shard] = cells
      return beginCell()
        .storeUint(0x10, 8)
        .storeMaybeRef(mc ?? null)
        .storeMaybeRef(shard ?? null)
        .endCell()
    }
    expect(decodeParameter(30, boc(all([first.endCell(), second.endCell()])))).toEqual({
      mc: {
        flags: 0,
        use_quic: true,
        target_rate_ms: 400,
        slots_per_leader_window: 4,
        first_block_timeout_ms: 1000,
        max_leader_window_desync: 250,
      },
      shard: { flags: 0, use_quic: false, slots_per_leader_window: 4, noncritical_params: { 0: 2400 } },
    })
    expect(decodeParameter(30, boc(all([])))).toEqual({ mc: null, shard: null })
  })

  it('include block limits with collated data', () => {
    const cell = beginCell().storeUint(0x5e, 8)
    for (let each = 1; each <= 4; each++)
      cell.storeUint(0xc3, 8).storeUint(each, 32).storeUint(8, 32).storeUint(9, 32)
    cell.storeUint(0xd3, 8).storeUint(65_536, 32).storeUint(30, 32)
    expect(decodeParameter(23, boc(cell.endCell()))).toEqual({
      bytes: { underload: 1, soft_limit: 8, hard_limit: 9 },
      gas: { underload: 2, soft_limit: 8, hard_limit: 9 },
      lt_delta: { underload: 3, soft_limit: 8, hard_limit: 9 },
      collated_data: { underload: 4, soft_limit: 8, hard_limit: 9 },
      imported_msg_queue: { max_bytes: 65_536, max_msgs: 30 },
    })
  })

  it('include size limits of every TON node release', () => {
    const limits = (widths: readonly number[], loads?: number | null) => {
      const cell = beginCell().storeUint(2, 8)
      for (const [index, width] of widths.entries()) cell.storeUint(index + 1, width)
      if (loads !== undefined) cell.storeMaybeUint(loads, 32)
      return decodeParameter(43, boc(cell.endCell()))
    }
    const commonWidths = [32, 32, 32, 16, 32, 16, 32, 32, 32, 32, 32]
    expect(limits(commonWidths)).toMatchObject({ max_acc_state_bits: 8, max_msg_extra_currencies: 11 })
    expect(limits([...commonWidths, 8, 32])).toMatchObject({
      max_acc_state_cells: 7,
      max_mc_acc_state_cells: 8,
      max_acc_fixed_prefix_length: 12,
      acc_state_cells_for_storage_dict: 13,
    })
    expect(limits([...commonWidths, 8, 32], null)).toMatchObject({ max_transaction_library_loads: null })
    expect(limits([...commonWidths, 8, 32], 3)).toMatchObject({ max_transaction_library_loads: 3 })
    expect(limits([...commonWidths, 8, 32, 32])).toHaveProperty('cell')
  })
})
