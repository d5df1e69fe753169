BEGIN TRANSACTION;
CREATE TABLE account_audit (
			org        TEXT NOT NULL,
			seq        INTEGER NOT NULL,
			id         TEXT NOT NULL UNIQUE,
			at         INTEGER NOT NULL,
			action     TEXT NOT NULL,
			outcome    TEXT NOT NULL,
			reason     TEXT NOT NULL,
			actor      TEXT NOT NULL,
			subject    TEXT NOT NULL,
			session    TEXT NOT NULL,
			before     TEXT NOT NULL,
			after      TEXT NOT NULL,
			address    TEXT NOT NULL,
			request_id TEXT NOT NULL,
			prev       TEXT NOT NULL,
			hash       TEXT NOT NULL,
			PRIMARY KEY (org, seq)
		) STRICT;
INSERT INTO "account_audit" VALUES('sddtxntmgyg811x51swjcg3h38',1,'6warjq2gbzw45op6v5jjdbglat',1795309445219,'user.create','done','','operator','obi7li7yyonk7usvlgrjfgmvqo','','','manager','','','','bbcec381cb1ee474dbecb4eab081597b2c3443f59ee6dda7ee74ffbe63a136d6');
INSERT INTO "account_audit" VALUES('sddtxntmgyg811x51swjcg3h38',2,'zkqr43mcsn4p23wxrebdq2axg6',1795309445618,'login','done','','obi7li7yyonk7usvlgrjfgmvqo','obi7li7yyonk7usvlgrjfgmvqo','4txouvsnagxaprb2bxwr2xvdm5','','','127.0.0.1','syxsqfgmm3h6axs5qjp7bcefc4','bbcec381cb1ee474dbecb4eab081597b2c3443f59ee6dda7ee74ffbe63a136d6','8e03c43374875464c743f6ddf03e60e967da1037850ad3f4fb92ebbd7939f746');
INSERT INTO "account_audit" VALUES('sddtxntmgyg811x51swjcg3h38',3,'nq5tfpbwxzxazwynvxrus7ulsq',1795309484673,'login','done','','obi7li7yyonk7usvlgrjfgmvqo','obi7li7yyonk7usvlgrjfgmvqo','puyms6cpmha45whvpjrlpo6cty','','','127.0.0.1','umj6ungwugzokot5xz3aptxcpy','8e03c43374875464c743f6ddf03e60e967da1037850ad3f4fb92ebbd7939f746','b4d9250dd1bfdb33279859e98f32eec1b20809f8be4ea29e095857e30ca236ac');
CREATE TABLE account_audit_heads (
			org  TEXT PRIMARY KEY,
			seq  INTEGER NOT NULL,
			hash TEXT NOT NULL
		) STRICT;
INSERT INTO "account_audit_heads" VALUES('sddtxntmgyg811x51swjcg3h38',3,'b4d9250dd1bfdb33279859e98f32eec1b20809f8be4ea29e095857e30ca236ac');
CREATE TABLE account_sessions (
			id            TEXT PRIMARY KEY,
			user          TEXT NOT NULL,
			org           TEXT NOT NULL,
			secret_hash   TEXT NOT NULL,
			epoch         INTEGER NOT NULL,
			created_at    INTEGER NOT NULL,
			expires       INTEGER NOT NULL,
			last_used_at  INTEGER NOT NULL,
			created_addr  TEXT NOT NULL,
			created_agent TEXT NOT NULL,
			last_addr     TEXT NOT NULL,
			last_agent    TEXT NOT NULL,
			ended_at      INTEGER NOT NULL,
			end_reason    TEXT NOT NULL,
			rev           INTEGER NOT NULL,
			mark          TEXT NOT NULL
		) STRICT;
INSERT INTO "account_sessions" VALUES('4txouvsnagxaprb2bxwr2xvdm5','obi7li7yyonk7usvlgrjfgmvqo','sddtxntmgyg811x51swjcg3h38','4a68af3b035bccf9627f63b0579cbc41e96ebd01ab2769bd558d5ee97f9b305a',1,1795309445609,1797901445609,1795309445609,'127.0.0.1','curl/7.88.1','127.0.0.1','curl/7.88.1',0,'',1,'');
INSERT INTO "account_sessions" VALUES('puyms6cpmha45whvpjrlpo6cty','obi7li7yyonk7usvlgrjfgmvqo','sddtxntmgyg811x51swjcg3h38','738e178783b387700ed8bba7a1d410336e3f8d923f4fc770ca251f3acd54e2c6',1,1795309484658,1797901484658,1795309484658,'127.0.0.1','curl/7.88.1','127.0.0.1','curl/7.88.1',0,'',1,'');
CREATE TABLE account_users (
			id            TEXT PRIMARY KEY,
			org           TEXT NOT NULL,
			email         TEXT NOT NULL,
			email_key     TEXT NOT NULL UNIQUE,
			name          TEXT NOT NULL,
			role          INTEGER NOT NULL,
			disabled      INTEGER NOT NULL,
			deleted       INTEGER NOT NULL,
			password_hash TEXT NOT NULL,
			setup_hash    TEXT NOT NULL,
			setup_until   INTEGER NOT NULL,
			epoch         INTEGER NOT NULL,
			kept          TEXT NOT NULL,
			rev           INTEGER NOT NULL,
			mark          TEXT NOT NULL,
			created_at    INTEGER NOT NULL,
			updated_at    INTEGER NOT NULL
		, service INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "account_users" VALUES('obi7li7yyonk7usvlgrjfgmvqo','sddtxntmgyg811x51swjcg3h38','ann@example.org','ann@example.org','Ann',2,0,0,'x','',0,1,'',1,'',1795309444919,1795309444919,0);
CREATE INDEX account_users_list ON account_users (org, deleted, created_at, id);
CREATE INDEX account_users_mark ON account_users (mark) WHERE mark <> '';
CREATE INDEX account_sessions_list ON account_sessions (org, user, created_at, id);
CREATE INDEX account_sessions_expires ON account_sessions (expires);
CREATE INDEX account_sessions_mark ON account_sessions (mark) WHERE mark <> '';
COMMIT;
