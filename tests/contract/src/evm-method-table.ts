/** Who serves a method, by the letter that the tables write. */
export const flows: Readonly<Record<string, string>> = {
  G: 'geth',
  E: 'erigon',
  R: 'reth',
  A: 'anvil',
  H: 'high-throughput',
}

/**
 * By tag, each method as `name(parameters): result, who serves it`. A question mark stands behind what may be left out.
 */
export const table: Readonly<Record<string, string>> = {
  client: `
    web3_clientVersion(): string, GERAH
    web3_sha3(data Bytes): Hash32, GERA
    net_version(): UintDecimal, GERAH
    net_listening(): boolean, GERA
    net_peerCount(): Quantity, GER
    rpc_modules(): {string}, GR
    eth_chainId(): Quantity, GERAH
    eth_syncing(): SyncStatus, GERAH
    eth_protocolVersion(): Quantity, ERA
    eth_coinbase(): Address, ERA
    eth_accounts(): Address[], GERA
    eth_config(): ChainConfig, GEA
    eth_capabilities(): Capabilities, GR`,
  mining: `
    eth_mining(): boolean, ER
    eth_hashrate(): Quantity, ERA
    eth_getWork(): (Bytes32|Quantity)[], ER
    eth_submitWork(nonce Bytes8, powHash Hash32, mixDigest Hash32): boolean, ER
    eth_submitHashrate(hashrate Quantity, id Hash32): boolean, ER`,
  fee: `
    eth_gasPrice(): Quantity, GERAH
    eth_maxPriorityFeePerGas(): Quantity, GERAH
    eth_baseFee(): Quantity, GER
    eth_blobBaseFee(): Quantity, GERA
    eth_feeHistory(blockCount Quantity, newestBlock BlockNumberOrTag, rewardPercentiles number[]?): FeeHistory, GERAH`,
  block: `
    eth_blockNumber(): Quantity, GERAH
    eth_getBlockByHash(blockHash string, fullTransactionObjects boolean): Block|null, GERAH
    eth_getBlockByNumber(block BlockNumberOrTag, fullTransactionObjects boolean): Block|null, GERAH
    eth_getHeaderByHash(blockHash Hash32): BlockHeader|null, GR
    eth_getHeaderByNumber(block BlockNumberOrTag): BlockHeader|null, GR
    eth_getBlockTransactionCountByHash(blockHash Hash32): Quantity|null, GERAH
    eth_getBlockTransactionCountByNumber(block BlockNumberOrTag): Quantity|null, GERAH
    eth_getUncleCountByBlockHash(blockHash Hash32): Quantity|null, GERA
    eth_getUncleCountByBlockNumber(block BlockNumberOrTag): Quantity|null, GERA
    eth_getUncleByBlockHashAndIndex(blockHash Hash32, index Quantity): UncleBlock|null, GERA
    eth_getUncleByBlockNumberAndIndex(block BlockNumberOrTag, index Quantity): UncleBlock|null, GERA
    eth_getBlockReceipts(block BlockId): Receipt[]|null, GERAH
    eth_getBlockAccessList(block BlockId): BlockAccessList|null, ER
    eth_getBlockAccessListByBlockHash(blockHash Hash32): BlockAccessList|null, R
    eth_getBlockAccessListByBlockNumber(block BlockNumberOrTag): BlockAccessList|null, R
    eth_getBlockAccessListRaw(block BlockId): Bytes|null, R`,
  transaction: `
    eth_getTransactionByHash(transactionHash Hash32): Transaction|null, GERAH
    eth_getTransactionByBlockHashAndIndex(blockHash Hash32, index Quantity): Transaction|null, GERAH
    eth_getTransactionByBlockNumberAndIndex(block BlockNumberOrTag, index Quantity): Transaction|null, GERAH
    eth_getTransactionReceipt(transactionHash Hash32): Receipt|null, GERAH
    eth_getTransactionBySenderAndNonce(address Address, nonce Quantity): Transaction|null, RA
    eth_getRawTransactionByHash(transactionHash Hash32): Bytes|null, GERA
    eth_getRawTransactionByBlockHashAndIndex(blockHash Hash32, index Quantity): Bytes|null, GERA
    eth_getRawTransactionByBlockNumberAndIndex(block BlockNumberOrTag, index Quantity): Bytes|null, GERA
    eth_pendingTransactions(): PendingTransaction[], GR`,
  state: `
    eth_getBalance(address Address, block BlockId?): Uint256, GERAH
    eth_getTransactionCount(address Address, block BlockId?): Uint64, GERAH
    eth_getCode(address Address, block BlockId?): Bytes, GERAH
    eth_getStorageAt(address Address, slot BytesMax32, block BlockId?): Bytes32, GERAH
    eth_getStorageValues(requests {BytesMax32[]}, block BlockId?): {Bytes32[]}, GRA
    eth_getProof(address Address, storageKeys BytesMax32[], block BlockId?): AccountProof, GERA
    eth_getAccount(address Address, block BlockId): Account|null, RA
    eth_getAccountInfo(address Address, block BlockId): AccountInfo, RA`,
  execute: `
    eth_call(transaction CallRequest, block BlockId?, stateOverrides StateOverrides?, blockOverrides BlockOverrides?): Bytes, GERAH
    eth_estimateGas(transaction CallRequest, block BlockNumberOrTag?, stateOverrides StateOverrides?, blockOverrides BlockOverrides?): Quantity, GERAH
    eth_createAccessList(transaction CallRequest, block BlockId?, stateOverrides StateOverrides?): AccessListResult, GERA
    eth_simulateV1(payload SimulatePayload, block BlockId?): SimulatedBlock[], GERA
    eth_callMany(bundles CallBundle[], context CallContext, stateOverrides StateOverrides?, timeoutMs integer?): CallOutcome[][], ER
    eth_fillTransaction(transaction CallRequest): FilledTransaction, GERA`,
  submit: `
    eth_sendRawTransaction(transaction Bytes): Hash32, GERA
    eth_sendRawTransactionSync(transaction Bytes, timeoutMs integer?): Receipt, GRA`,
  sign: `
    eth_sendTransaction(transaction CallRequest): Hash32, GRA
    eth_sign(address Address, message Bytes): Bytes65, GRA
    personal_sign(message Bytes, address Address): Bytes65, RA
    eth_signTransaction(transaction CallRequest): Bytes|SignedTransaction, GRA
    eth_signTypedData(address Address, data TypedData): Bytes65, R
    eth_signTypedData_v3(address Address, data TypedData): Bytes65, R
    eth_signTypedData_v4(address Address, data TypedData): Bytes65, RA`,
  filter: `
    eth_getLogs(filter Filter): Log[], GERAH
    eth_newFilter(filter Filter): FilterId, GERA
    eth_newBlockFilter(): FilterId, GERA
    eth_newPendingTransactionFilter(fullTransactions boolean?): FilterId, GERA
    eth_getFilterChanges(filterId FilterId): FilterChanges, GERA
    eth_getFilterLogs(filterId FilterId): Log[], GERA
    eth_uninstallFilter(filterId FilterId): boolean, GERA`,
  subscription: `
    eth_subscribe(kind string, options SubscriptionOptions?): SubscriptionId, GERA
    eth_unsubscribe(subscriptionId SubscriptionId): boolean, GERA`,
  system: `
    eth_getSystemTxsByBlockHash(blockHash Hash32): SystemTransaction[]|null, H
    eth_getSystemTxsByBlockNumber(block BlockNumberOrTag?): SystemTransaction[], H
    eth_usingBigBlocks(address Address): boolean, H
    eth_bigBlockGasPrice(): Quantity, H
    eth_getEvmSystemTxsByBlockHash(blockHash Hash32): SystemTransaction[]|null, H
    eth_getEvmSystemTxsByBlockNumber(block BlockNumberOrTag?): SystemTransaction[], H
    eth_getEvmSystemTxsReceiptsByBlockHash(blockHash Hash32): Receipt[]|null, H
    eth_getEvmSystemTxsReceiptsByBlockNumber(block BlockNumberOrTag?): Receipt[]|null, H
    eth_getBlockReceiptsWithSystemTx(block BlockId): BlockReceipts|null, H`,
}

/** Every subscription as `kind(options): notification, who serves it`. */
export const subscriptions = `
    newHeads(): BlockHeader, GERA
    logs(SubscriptionLogFilter): Log, GERA
    newPendingTransactions(boolean): Hash32|Transaction, GERA
    syncing(): SyncNotification, GER
    transactionReceipts(SubscriptionReceiptFilter): Receipt[], GR
    newPendingTransactionsWithBody(): Transaction, E
    newPendingBlock(): Block, E`
