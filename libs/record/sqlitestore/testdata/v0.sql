BEGIN TRANSACTION;
CREATE TABLE auto_approvals (
			org            TEXT    NOT NULL PRIMARY KEY,
			below_kg       TEXT    NOT NULL,
			spot_check     INTEGER NOT NULL,
			by_id          TEXT    NOT NULL,
			by_name        TEXT    NOT NULL,
			by_role        TEXT    NOT NULL
		) STRICT, WITHOUT ROWID;
CREATE TABLE events (
			id          TEXT    NOT NULL PRIMARY KEY,
			org         TEXT    NOT NULL,
			slot        INTEGER NOT NULL,
			rev         INTEGER NOT NULL,
			context_rev INTEGER NOT NULL,
			mark        TEXT    NOT NULL,
			deleted     INTEGER NOT NULL,
			created_at  INTEGER NOT NULL,
			updated_at  INTEGER NOT NULL,
			boundary    TEXT,
			body        TEXT    NOT NULL
		) STRICT;
INSERT INTO "events" VALUES('8ynm28vb7tb36c38yd5ewr7njc','sddtxntmgyg811x51swjcg3h38',1,1,1,'',0,1795309485667,1795309485667,NULL,'{"title":"Gala","startDate":"2026-05-01","endDate":"2026-05-02","attendees":100,"country":"GB","radiativeForcing":true,"gwp":"published","factorSet":"desnz-2026","createdBy":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}}');
INSERT INTO "events" VALUES('fd34tfy42rmqh7p34jzgj9b370','sddtxntmgyg811x51swjcg3h38',2,2,1,'',1,1795309511375,1795309511418,NULL,'{"title":"Gone","radiativeForcing":true,"gwp":"published","factorSet":"desnz-2026","createdBy":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}}');
CREATE TABLE history (
			org    TEXT    NOT NULL,
			record TEXT    NOT NULL,
			rev    INTEGER NOT NULL,
			event  TEXT    NOT NULL,
			entry  TEXT    NOT NULL,
			PRIMARY KEY (org, record, rev)
		) STRICT, WITHOUT ROWID;
INSERT INTO "history" VALUES('sddtxntmgyg811x51swjcg3h38','ny9d03d33qqr4t3e27q7cw2nw6',1,'8ynm28vb7tb36c38yd5ewr7njc','{"rev":1,"move":"create","to":"unsubmitted","by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"at":1795309511345,"input":"ec8205fe4b4fe0edd2db2b2c9237289c97ff84fdae1231734c29b233631926fc","hash":"ccc9557ebd983f5bb087f34c4f91b9e239e6010a6f6dd70bb21a2bceaa110bfa"}');
INSERT INTO "history" VALUES('sddtxntmgyg811x51swjcg3h38','pt5jzg0sqqszst5ndj4jjafj41',1,'8ynm28vb7tb36c38yd5ewr7njc','{"rev":1,"move":"create","to":"unsubmitted","by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"at":1795309511028,"input":"6c9f7f46899007c694750535d00bb8c5b2bee94fee39731b3cc1752216f19f25","hash":"9d6f513dca9d36602046b94c757e946d182a3e453777617332245845b266d42c"}');
INSERT INTO "history" VALUES('sddtxntmgyg811x51swjcg3h38','pt5jzg0sqqszst5ndj4jjafj41',2,'8ynm28vb7tb36c38yd5ewr7njc','{"rev":2,"move":"submit","from":"unsubmitted","to":"submitted","by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"at":1795309511123,"input":"6c9f7f46899007c694750535d00bb8c5b2bee94fee39731b3cc1752216f19f25","prev":"9d6f513dca9d36602046b94c757e946d182a3e453777617332245845b266d42c","hash":"40473f5e995b103ee91f20f899b142c994188d3a468ba2e240d8e28ebeb79a66"}');
CREATE TABLE idempotency_keys (
			id          TEXT    NOT NULL PRIMARY KEY,
			org         TEXT    NOT NULL,
			digest      TEXT    NOT NULL,
			seed        TEXT    NOT NULL,
			lease       TEXT    NOT NULL,
			lease_until INTEGER NOT NULL,
			expires_at  INTEGER NOT NULL,
			status      INTEGER NOT NULL,
			etag        TEXT    NOT NULL,
			location    TEXT    NOT NULL,
			body        BLOB
		) STRICT;
INSERT INTO "idempotency_keys" VALUES('99b241838fd82123b824fadb98de98e4b2bfba36625174cf832cad20d78c6ba5','sddtxntmgyg811x51swjcg3h38','88a4c265ef009061c142ab9201abfd39e0fb91b673827f8bce4b779e4fd22532','7HHWKUOMDVBKYQIL2UTUV5COOA','done HNMUI3USCZZT7E6ZFANYKKJK3C',0,1795395885640,201,'"1.8ynm28vb7tb36c38yd5ewr7njc"','/api/v2/events/8ynm28vb7tb36c38yd5ewr7njc',X'7B2273756363657373223A747275652C2264617461223A7B225F6964223A2238796E6D323876623774623336633338796435657772376E6A63222C227469746C65223A2247616C61222C22737461727444617465223A22323032362D30352D3031222C22656E6444617465223A22323032362D30352D3032222C22617474656E64656573223A3130302C22636F756E747279223A224742222C226D6574686F64223A7B22726164696174697665466F7263696E67223A747275652C22677770223A227075626C6973686564227D2C22666163746F72536574223A226465736E7A2D32303236222C22637265617465644279223A7B225F6964223A226F6269376C693779796F6E6B377573766C67726A66676D76716F222C226E616D65223A22416E6E222C22726F6C65223A226D616E61676572227D2C22637265617465644174223A22323032362D31312D32325430313A30343A34352E3636375A222C22757064617465644174223A22323032362D31312D32325430313A30343A34352E3636375A222C227265766973696F6E223A317D7D');
CREATE TABLE import_parts (
			org  TEXT    NOT NULL,
			id   TEXT    NOT NULL,
			n    INTEGER NOT NULL,
			part BLOB    NOT NULL,
			PRIMARY KEY (org, id, n)
		) STRICT;
CREATE TABLE imports (
			id    TEXT    NOT NULL PRIMARY KEY,
			org   TEXT    NOT NULL,
			event TEXT    NOT NULL,
			rev   INTEGER NOT NULL,
			open  INTEGER NOT NULL,
			body  TEXT    NOT NULL
		) STRICT;
CREATE TABLE list_counts (
			org    TEXT NOT NULL,
			event  TEXT NOT NULL,
			type   TEXT NOT NULL,
			counts BLOB NOT NULL,
			PRIMARY KEY (org, event, type)
		) STRICT, WITHOUT ROWID;
INSERT INTO "list_counts" VALUES('sddtxntmgyg811x51swjcg3h38','','',X'0001');
INSERT INTO "list_counts" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc','flights',X'0001');
CREATE TABLE list_sets (
			org     TEXT    NOT NULL,
			event   TEXT    NOT NULL,
			type    TEXT    NOT NULL,
			block   INTEGER NOT NULL,
			numbers BLOB    NOT NULL,
			PRIMARY KEY (org, event, type, block)
		) STRICT, WITHOUT ROWID;
INSERT INTO "list_sets" VALUES('sddtxntmgyg811x51swjcg3h38','','',0,X'0000000000000002000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "list_sets" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc','flights',0,X'0000000000000002000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE organizations (
			id         TEXT    NOT NULL PRIMARY KEY,
			name       TEXT    NOT NULL,
			plan       TEXT    NOT NULL,
			four_eyes  INTEGER NOT NULL,
			created_at INTEGER NOT NULL,
			rev        INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
INSERT INTO "organizations" VALUES('sddtxntmgyg811x51swjcg3h38','Acme','free',0,1795309444618,1);
CREATE TABLE records (
			id           TEXT    NOT NULL PRIMARY KEY,
			org          TEXT    NOT NULL,
			event        TEXT    NOT NULL,
			type         TEXT    NOT NULL,
			seq          INTEGER NOT NULL,
			rev          INTEGER NOT NULL,
			status       TEXT    NOT NULL,
			deleted      INTEGER NOT NULL,
			ref_key      TEXT    NOT NULL,
			reference    TEXT    NOT NULL,
			mark         TEXT    NOT NULL,
			context_rev  INTEGER NOT NULL,
			created_at   INTEGER NOT NULL,
			created_by   TEXT    NOT NULL,
			updated_at   INTEGER NOT NULL,
			fields       TEXT,
			preview      TEXT,
			contribution TEXT,
			body         TEXT    NOT NULL
		) STRICT;
INSERT INTO "records" VALUES('pt5jzg0sqqszst5ndj4jjafj41','sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc','flights',1,3,'approved',0,'ref:r1','r1','',1,1795309511028,'{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}',1795309511268,'{"from":"LHR","to":"JFK","class":"economy","passengers":2,"externalReference":"r1"}','{"kgCO2e":1569.434689,"low":928.659579,"high":2652.344624,"factorSet":"desnz-2026","defaulted":[],"notices":[]}','{"engine":"1.2.0","records":1,"total":"1569434689000","counts":["flights|unspecified|1"],"cells":["flights|unspecified|desnz-2026-flight-long_haul-economy-rf|direct|3|6 Business travel|1296764109000|529448068172|894767235210","flights|unspecified|desnz-2026-flight-long_haul-economy-rf|upstream|3|6 Business travel|272670580000|111327041538|188142700200"],"gases":"756298001000|110797000|10968869000|529386442000|272670580000","quality":"0|0|1569434689000|0"}','{"editedBy":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"submitted":{"at":1795309511123,"by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}},"reviewed":{"at":1795309511268,"by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}},"last":{"rev":3,"move":"approve","from":"submitted","to":"approved","by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"at":1795309511268,"input":"6c9f7f46899007c694750535d00bb8c5b2bee94fee39731b3cc1752216f19f25","prev":"40473f5e995b103ee91f20f899b142c994188d3a468ba2e240d8e28ebeb79a66","hash":"c64058aa2aa9243d5651d427aea72920175ec9f7d384ce3ebfe5533419ac7a9b"}}');
INSERT INTO "records" VALUES('ny9d03d33qqr4t3e27q7cw2nw6','sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc','flights',2,2,'unsubmitted',1,'id:ny9d03d33qqr4t3e27q7cw2nw6','r2','',1,1795309511345,'{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"}',1795309511350,'{"from":"LHR","to":"JFK","class":"economy","passengers":2,"externalReference":"r2"}','{"kgCO2e":1569.434689,"low":928.659579,"high":2652.344624,"factorSet":"desnz-2026","defaulted":[],"notices":[]}','{"engine":"1.2.0","records":1,"total":"1569434689000","counts":["flights|unspecified|1"],"cells":["flights|unspecified|desnz-2026-flight-long_haul-economy-rf|direct|3|6 Business travel|1296764109000|529448068172|894767235210","flights|unspecified|desnz-2026-flight-long_haul-economy-rf|upstream|3|6 Business travel|272670580000|111327041538|188142700200"],"gases":"756298001000|110797000|10968869000|529386442000|272670580000","quality":"0|0|1569434689000|0"}','{"editedBy":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"submitted":{},"reviewed":{},"last":{"rev":2,"move":"delete","from":"unsubmitted","to":"unsubmitted","by":{"id":"obi7li7yyonk7usvlgrjfgmvqo","name":"Ann","role":"manager"},"at":1795309511350,"input":"ec8205fe4b4fe0edd2db2b2c9237289c97ff84fdae1231734c29b233631926fc","prev":"ccc9557ebd983f5bb087f34c4f91b9e239e6010a6f6dd70bb21a2bceaa110bfa","hash":"8217770be4a8255f23d0ac9774a3b12c56e2266f29e314d6bda44f9694cfbfc5"}}');
CREATE UNIQUE INDEX events_slot ON events (org, slot);
CREATE INDEX events_live ON events (org, slot) WHERE deleted = 0;
CREATE INDEX events_deleted ON events (org, slot) WHERE deleted = 1;
CREATE INDEX events_marked ON events (mark, org, id) WHERE mark <> '';
CREATE UNIQUE INDEX records_seq ON records (org, event, type, seq);
CREATE UNIQUE INDEX records_ref ON records (org, event, type, ref_key);
CREATE INDEX records_deleted ON records (org, event, type, seq) WHERE deleted = 1;
CREATE INDEX records_page ON records (org, event, type, seq, rev, context_rev) WHERE deleted = 0;
CREATE INDEX records_status ON records (org, event, status) WHERE deleted = 0;
CREATE INDEX records_queue ON records (org, event, created_at, id)
			WHERE deleted = 0 AND status IN ('submitted', 'in_review');
CREATE INDEX records_queue_all ON records (org, created_at, id)
			WHERE deleted = 0 AND status IN ('submitted', 'in_review');
CREATE INDEX records_marked ON records (org, event, mark) WHERE mark <> '';
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (org, expires_at);
CREATE INDEX imports_open ON imports (id, org, event) WHERE open = 1;
COMMIT;
