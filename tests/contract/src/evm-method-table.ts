/** Which clients serve a method, by the letter used in the tables. */
export const flows: Readonly<Record<string, string>> = {
  G: 'geth',
  E: 'erigon',
  R: 'reth',
  A: 'anvil',
  H: 'high-throughput',
}

/** The methods by tag, each as `name(parameters): result, who serves it`. A question mark marks an optional part. */
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
    eth_callMany(bundles CallBundle[], simulationContext CallContext, stateOverrides StateOverrides?, timeoutMs integer?): CallOutcome[][], ER
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
  debug: `
    debug_getRawHeader(block BlockId): Bytes, GER
    debug_getRawBlock(block BlockId): Bytes, GER
    debug_getRawTransaction(transactionHash Hash32): Bytes|null, GERA
    debug_getRawTransactions(block BlockId): Bytes[], R
    debug_getRawReceipts(block BlockId): Bytes[], GER
    debug_getRawBlockAccessList(block BlockId): Bytes, ER
    debug_getBadBlocks(): BadBlock[], GER
    debug_traceTransaction(transactionHash Hash32, options TraceOptions?): TraceResult, GERA
    debug_traceCall(transaction CallRequest, block BlockId?, options TraceCallOptions?): TraceResult, GERA
    debug_traceCallMany(bundles TraceBundle[], simulationContext SimulationContext, stateOverrides StateOverrides?): ExecutionTrace[], ERH
    debug_traceBlock(rlp Bytes, options TraceOptions?): BlockTraceItem[], GR
    debug_traceBlockByHash(blockHash Hash32, options TraceOptions?): BlockTraceItem[], GERA
    debug_traceBlockByNumber(block BlockNumberOrTag, options TraceOptions?): BlockTraceItem[], GERA
    debug_traceBadBlock(blockHash Hash32, options TraceOptions?): BlockTraceItem[], G
    debug_intermediateRoots(blockHash Hash32, options TraceOptions?): Hash32[], GR
    debug_storageRangeAt(block BlockId, txIndex integer, address Address, keyStart Bytes, maxResult integer): StorageRange, GE
    debug_accountRange(block BlockId, start Bytes, maxResults integer, nocode boolean, nostorage boolean, incompletes boolean?): StateDump, GE
    debug_accountAt(blockHash Hash32, txIndex integer, address Address): AccountAt|null, ER
    debug_getModifiedAccountsByNumber(start BlockNumberInput, end BlockNumberInput?): Address[], GE
    debug_getModifiedAccountsByHash(start Hash32, end Hash32?): Address[], GE
    debug_codeByHash(codeHash Hash32, block BlockId?): Bytes|null, RA
    debug_executionWitness(block BlockId): ExecutionWitness, GER
    debug_chainConfig(): ChainRules, R`,
  trace: `
    trace_block(block BlockId): LocalizedTrace[]|null, ERA
    trace_transaction(transactionHash Hash32): LocalizedTrace[]|null, ERA
    trace_get(transactionHash Hash32, indices Quantity[]): LocalizedTrace|null, ER
    trace_filter(filter TraceFilter): LocalizedTrace[], ERA
    trace_call(transaction CallRequest, traceTypes TraceTypes, block BlockId?, stateOverrides StateOverrides?, blockOverrides BlockOverrides?): TraceResults, ER
    trace_callMany(calls TracedCall[], block BlockId?): TraceResults[], ER
    trace_rawTransaction(transaction Bytes, traceTypes TraceTypes, block BlockId?): TraceResults, R
    trace_replayTransaction(transactionHash Hash32, traceTypes TraceTypes): TraceResults, ER
    trace_replayBlockTransactions(block BlockId, traceTypes TraceTypes): BlockTraceResults[]|null, ERA
    trace_transactionOpcodeGas(transactionHash Hash32): TransactionOpcodeGas|null, R
    trace_blockOpcodeGas(block BlockId): BlockOpcodeGas|null, R`,
  txpool: `
    txpool_status(): PoolStatus, GERA
    txpool_content(): PoolContent, GERA
    txpool_contentFrom(address Address): PoolAccountContent, GER
    txpool_inspect(): PoolInspection, GRA`,
  erigon: `
    erigon_getHeaderByNumber(block BlockNumberInput): BlockHeader|null, ERA
    erigon_getHeaderByHash(blockHash Hash32): BlockHeader|null, E
    erigon_getBlockByTimestamp(timestamp Quantity, fullTransactionObjects boolean): Block, E
    erigon_getLogsByHash(blockHash Hash32): Log[][], E
    erigon_getLogs(filter Filter): TimedLog[], E
    erigon_getLatestLogs(filter Filter, options LatestLogsOptions): TimedLog[], E
    erigon_getBlockReceiptsByBlockHash(blockHash Hash32): Receipt[], E
    erigon_getBalanceChangesInBlock(block BlockId): {Quantity}, E
    erigon_forks(): ForkPoints, E
    erigon_blockNumber(block BlockTag?): Quantity, E
    erigon_nodeInfo(): NodeInfo[], E`,
  explorer: `
    ots_getApiLevel(): integer, ERAH
    ots_getInternalOperations(transactionHash Hash32): InternalOperation[], ERAH
    ots_hasCode(address Address, block BlockId?): boolean, ERAH
    ots_getTransactionError(transactionHash Hash32): Bytes|null, ERAH
    ots_traceTransaction(transactionHash Hash32): TraceEntry[]|null, ERAH
    ots_getBlockDetails(block BlockNumberInput): BlockDetails|null, ERAH
    ots_getBlockDetailsByHash(blockHash Hash32): BlockDetails|null, ERAH
    ots_getBlockTransactions(block BlockNumberInput, page integer, pageSize integer): BlockTransactions|null, ERAH
    ots_searchTransactionsBefore(address Address, block BlockNumberInput, pageSize integer): TransactionPage, EAH
    ots_searchTransactionsAfter(address Address, block BlockNumberInput, pageSize integer): TransactionPage, EAH
    ots_getTransactionBySenderAndNonce(address Address, nonce integer): Hash32|null, ERAH
    ots_getContractCreator(address Address): ContractCreator|null, ERAH`,
}

/** Every subscription, as `kind(options): notification, who serves it`. */
export const subscriptions = `
    newHeads(): BlockHeader, GERA
    logs(SubscriptionLogFilter): Log, GERA
    newPendingTransactions(boolean): Hash32|Transaction, GERA
    syncing(): SyncNotification, GER
    transactionReceipts(SubscriptionReceiptFilter): Receipt[], GR
    newPendingTransactionsWithBody(): Transaction, E
    newPendingBlock(): Block, E`
