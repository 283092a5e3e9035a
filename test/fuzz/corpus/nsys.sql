-- The first entry of corpus/nsys: sqlite3 corpus/nsys/small.sqlite < corpus/nsys.sql
PRAGMA page_size = 512;
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.16.1');
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'read'), (4, 'main'),
  (5, 'cudaStreamSynchronize_v3020');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName, graphNodeId);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 900, 0, 7, 1, 281476654432256, 1, NULL),
  (2000, 2500, 0, 7, 2, 281476654432256, 1, NULL), (6000, 6500, 0, 7, 4, 281476654432256, 1, 9);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4000, 4100, 0, 7, 3, 281476654432256, 8, 1, 0, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, correlationId, globalPid, graphId);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (5900, 6600, 0, 7, 4, 281476654432256, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 50, 0, 281476654432356, 1, 2),
  (1000, 1900, 0, 281476654432356, 2, 2), (1100, 1200, 1, 281476654432356, 2, 2),
  (3000, 3900, 0, 281476654432356, 9, 5);
CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId, callchainId);
INSERT INTO OSRT_API VALUES (950, 980, 27, 281476654432356, 3, 1);
CREATE TABLE OSRT_CALLCHAINS (id, symbol, stackDepth);
INSERT INTO OSRT_CALLCHAINS VALUES (1, 3, 0), (1, 4, 1);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId);
INSERT INTO NVTX_EVENTS VALUES (5, 60, 59, 'aten::mm, seq = 1', 281476654432356, NULL, 0),
  (0, NULL, 60, 'step', 281476654432356, NULL, 1), (0, NULL, 75, 'NCCL', 281476654432356, NULL, 1);
CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid);
INSERT INTO SCHED_EVENTS VALUES (1, 0, 1, 281476654432356), (990, 0, 0, 281476654432356);
CREATE TABLE ThreadNames (nameId, priority, globalTid);
INSERT INTO ThreadNames VALUES (4, 10, 281476654432356);
